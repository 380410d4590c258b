import { Holds } from '../members/member-decorators';
import { Invoiced } from './invoiced';
import { TokenSession } from './session';

/** Answer to the three perform operations and of complete transfer (interface, section 4.5). */
export class AcceptedResponse extends Invoiced {
  @Holds(TokenSession)
  readonly session!: TokenSession;
}
