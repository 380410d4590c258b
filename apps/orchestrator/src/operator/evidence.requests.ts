import { Matches } from 'class-validator';
import type { NameKind } from '@app/investigation';
import { IsNameKind } from './unnamed-order';
import { AsInstant } from './transforms';
import { LOGIN, MayBeAbsent, ReasonedAction } from './operator.requests';

/** An evidence pack, with personal data of the consumer, for grounds that are put on record. */
export class EvidenceRequest extends ReasonedAction {
  /** Where it is given, the order must be of this merchant. */
  @MayBeAbsent()
  @Matches(LOGIN, { message: 'merchant must be a login' })
  readonly merchant?: string;

  /** The kind of name by which the order is named: either where it is absent. */
  @MayBeAbsent()
  @IsNameKind()
  readonly by?: NameKind;

  /** What was recorded later is left out; absent: when the newest dispute was on record, else the newest event of it, its cards or its callbacks. */
  @MayBeAbsent()
  @AsInstant('at')
  readonly at?: number;
}
