import { IsIn, Matches } from 'class-validator';
import { AMOUNT_GRAMMAR } from '@app/kernel';
import {
  CHARGEBACK_STAGES,
  REPORT_KINDS,
  REPRESENTMENT_OUTCOMES,
  type ChargebackStage,
  type ReportKind,
  type RepresentmentOutcome,
} from '@app/orders/domain';
import { Reference } from './card-numbers-in-texts';
import { LOGIN, MayBeAbsent, OperatorActionRequest } from './operator.requests';

const CASE = /^[\x21-\x7e]{1,64}$/;
const REASON_CODE = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,15}$/;
const DAY = /^(?:19[7-9]\d|20\d\d)-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const ALIAS = /^[a-z0-9-]{1,64}$/;

/** What a gate reported of an order after its end: on paper, or in a file. */
export class ReportRequest extends OperatorActionRequest {
  @IsIn(REPORT_KINDS, { message: `kind must be one of ${REPORT_KINDS.join(', ')}` })
  readonly kind!: ReportKind;

  /** The gate's own id of the case; the same kind, stage and outcome of it again changes nothing. One from paper was typed by a person. */
  @Reference<ReportRequest>(({ gate }) => gate !== undefined)
  @Matches(CASE, { message: 'case must be the gate’s id of it, 1 to 64 printable characters without blanks' })
  readonly case!: string;

  /** In major units. Of a representment it is that of the chargeback, and absent here. */
  @MayBeAbsent()
  @Reference()
  @Matches(AMOUNT_GRAMMAR, { message: 'amount must be in major units, such as "10.00"' })
  readonly amount?: string;

  @MayBeAbsent()
  @Matches(/^[A-Z]{3}$/, { message: 'currency must be three upper-case letters' })
  readonly currency?: string;

  /** The card scheme's. */
  @MayBeAbsent()
  @Matches(REASON_CODE, { message: 'reasonCode must be the card scheme’s, such as "10.4"' })
  readonly reasonCode?: string;

  /** Of a chargeback, the first where it is absent; of a representment, the latest that is known. */
  @MayBeAbsent()
  @IsIn(CHARGEBACK_STAGES, { message: `stage must be one of ${CHARGEBACK_STAGES.join(', ')}` })
  readonly stage?: ChargebackStage;

  /** Of a representment. */
  @MayBeAbsent()
  @IsIn(REPRESENTMENT_OUTCOMES, { message: `outcome must be one of ${REPRESENTMENT_OUTCOMES.join(', ')}` })
  readonly outcome?: RepresentmentOutcome;

  /** The day on which it happened, in UTC. */
  @MayBeAbsent()
  @Matches(DAY, { message: 'date must be a day, such as 2026-11-24' })
  readonly date?: string;

  /** The alias of the gate whose file it stands in; absent for paper. What does not fit the order is then kept and alarmed instead of refused. */
  @MayBeAbsent()
  @Matches(ALIAS, { message: 'gate must be the alias of a gate' })
  readonly gate?: string;

  /** Where it is given, the order must be of this merchant. */
  @MayBeAbsent()
  @Matches(LOGIN, { message: 'merchant must be a login' })
  readonly merchant?: string;
}
