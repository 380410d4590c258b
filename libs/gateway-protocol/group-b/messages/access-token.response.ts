import { Holds } from '../members/member-decorators';
import { AccessSession } from './session';

/** `GET /auth/request-access-token` of the merchant server (protocol decisions, section 8). */
export class AccessTokenResponse {
  @Holds(AccessSession)
  readonly session!: AccessSession;
}
