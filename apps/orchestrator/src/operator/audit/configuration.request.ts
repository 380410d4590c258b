import { IsInt } from 'class-validator';
import { MayBeAbsent, OperatorActionRequest } from '../operator.requests';
import { AsInstant } from './transforms';

/** Which configuration applied at a moment. */
export class ConfigurationRequest extends OperatorActionRequest {
  /** Now where it is left out. */
  @MayBeAbsent()
  @AsInstant()
  @IsInt({ message: 'at must be a time in UTC, such as 2026-11-24T08:30:00Z' })
  readonly at?: number;
}
