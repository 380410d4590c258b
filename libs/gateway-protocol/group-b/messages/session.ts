import { IsOptional } from 'class-validator';
import { SignedText, Text, Holds } from '../members/member-decorators';
import { SESSION_TEXT_LENGTH_MAX, SESSION_TEXT_LENGTH_MIN, SESSION_TOKEN_LENGTH_MAX, SESSION_TOKEN_LENGTH_MIN } from '../device-limits';

const SessionText = (): PropertyDecorator => SignedText(SESSION_TEXT_LENGTH_MIN, SESSION_TEXT_LENGTH_MAX);
const SessionToken = (): PropertyDecorator => Text(SESSION_TOKEN_LENGTH_MIN, SESSION_TOKEN_LENGTH_MAX);

/** Session of an initiate request, of the request for client ids, of the answer that gives an access token (interface, section 4.4). */
export class AccessSession {
  @SessionText()
  readonly accessToken!: string;
}

/** Session of an initiate response (interface, section 4.4). */
export class IssuedSession {
  /** Created by the merchant server; valid once. */
  @SessionText()
  readonly nonce!: string;

  @SessionText()
  readonly signature!: string;
}

/** Session of a perform request: the nonce and signature of the initiate response (interface, section 4.5). */
export class SignedSession extends AccessSession {
  @SessionText()
  readonly nonce!: string;

  @SessionText()
  readonly signature!: string;
}

/** Session of a check request: what the app sent, and the gateway's token (interface, section 4.6). */
export class CheckSession extends SignedSession {
  @SessionToken()
  readonly token!: string;
}

/** Session of status and complete requests (interface, section 4.2). */
export class RunningSession extends AccessSession {
  @SessionToken()
  readonly token!: string;
}

/** Session of a card mapping notification (interface, section 4.8). */
export class NotificationSession extends RunningSession {
  /** The nonce of the initiate response. The interface does not define it here, but strict servers compare it. */
  @IsOptional()
  @SessionText()
  readonly nonce?: string;
}

/** Session of the gateway's answer to perform, complete and status (interface, sections 4.5 and 4.7). */
export class TokenSession {
  @SessionToken()
  readonly token!: string;
}

/** Session of the merchant server's answer to a check or a notification (interface, sections 4.6 and 4.8). */
export class CheckedSession {
  @SessionText()
  readonly checkSignature!: string;

  @SessionText()
  readonly nonce!: string;

  @SessionToken()
  readonly token!: string;
}

/** The body of the three status operations and of complete transfer (interface, section 4.2). */
export class SessionRequest {
  @Holds(RunningSession)
  readonly session!: RunningSession;
}

/** `GET /auth/request-access-token` of the merchant server (protocol decisions, section 8). */
export class AccessTokenResponse {
  @Holds(AccessSession)
  readonly session!: AccessSession;
}
