import { Holds } from '../members/member-decorators';
import { RunningSession } from './session';

/** The body of the three status operations and of complete transfer (interface, section 4.2). */
export class SessionRequest {
  @Holds(RunningSession)
  readonly session!: RunningSession;
}
