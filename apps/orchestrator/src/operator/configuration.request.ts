import { MayBeAbsent, OperatorActionRequest } from './operator.requests';
import { AsInstant } from './transforms';

/** Which configuration applied at a moment. */
export class ConfigurationRequest extends OperatorActionRequest {
  /** Now where it is left out. */
  @MayBeAbsent()
  @AsInstant('at')
  readonly at?: number;
}
