import { Holds } from '../members/member-decorators';
import { Invoiced } from './invoiced';
import { CheckedSession } from './session';

/** How the merchant server acknowledges a card mapping notification (interface, section 4.8). */
export class NotificationResponse extends Invoiced {
  @Holds(CheckedSession)
  readonly session!: CheckedSession;
}
