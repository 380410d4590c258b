import { HttpStatus, Inject, Param, Post } from '@nestjs/common';
import { IsIn, Matches } from 'class-validator';
import { HttpReply, type Refused } from '@app/http/server';
import { type Clock, parseAmount, unreachable, type Currency, type GateAlias, type Instant, type Money, AMOUNT_GRAMMAR } from '@app/kernel';
import { CLOCK } from '@app/kernel/injection';
import type { Operator } from '@app/configuration';
import type { OrderSummary } from '@app/read-models/queries';
import { OperatorService, OrderNames, type Reporting } from '@app/investigation';
import type { ManualDisputeReport } from '@app/orders';
import {
  CHARGEBACK_STAGES,
  REPORT_KINDS,
  REPRESENTMENT_OUTCOMES,
  type ChargebackStage,
  type ReportKind,
  type RepresentmentOutcome,
} from '@app/orders/domain';
import { Action } from './action.pipe';
import { OperatorRoutes } from './operator.filter';
import { CurrentOperator, OperatorRequest } from './operator.guard';
import { Reference } from './read-action';
import { IsLogin, optional, OperatorActionRequest } from './operator.requests';

const CASE = /^[\x21-\x7e]{1,64}$/;
const REASON_CODE = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,15}$/;
const DAY = /^(?:19[7-9]\d|20\d\d)-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const ALIAS = /^[a-z0-9-]{1,64}$/;

/** A gate’s report about an order after its end, on paper or in a file. */
export class ReportRequest extends OperatorActionRequest {
  @IsIn(REPORT_KINDS, { message: `kind must be one of ${REPORT_KINDS.join(', ')}` })
  readonly kind!: ReportKind;

  /** The gate's id of the case. The same kind, stage and outcome again changes nothing. */
  @Reference<ReportRequest>(({ gate }) => gate !== undefined)
  @Matches(CASE, { message: 'case must be the gate’s id of it, 1 to 64 printable characters without blanks' })
  readonly case!: string;

  /** In major units. A representment has none here: it has the amount of its chargeback. */
  @optional(Reference(), Matches(AMOUNT_GRAMMAR, { message: 'amount must be in major units, such as "10.00"' }))
  readonly amount?: string;

  @optional(Matches(/^[A-Z]{3}$/, { message: 'currency must be three upper-case letters' }))
  readonly currency?: string;

  /** The card scheme's. */
  @optional(Matches(REASON_CODE, { message: 'reasonCode must be the card scheme’s, such as "10.4"' }))
  readonly reasonCode?: string;

  /** Default: the first stage for a chargeback, the latest known stage for a representment. */
  @optional(IsIn(CHARGEBACK_STAGES, { message: `stage must be one of ${CHARGEBACK_STAGES.join(', ')}` }))
  readonly stage?: ChargebackStage;

  /** Only for a representment. */
  @optional(IsIn(REPRESENTMENT_OUTCOMES, { message: `outcome must be one of ${REPRESENTMENT_OUTCOMES.join(', ')}` }))
  readonly outcome?: RepresentmentOutcome;

  /** The day on which it happened, in UTC. */
  @optional(Matches(DAY, { message: 'date must be a day, such as 2026-11-24' }))
  readonly date?: string;

  /** The last day to contest a chargeback, in UTC, if the report has one. */
  @optional(Matches(DAY, { message: 'respondBy must be a day, such as 2026-12-24' }))
  readonly respondBy?: string;

  /** The alias of the gate whose file contains the report; absent for paper. If a report from a file does not fit the order, it is kept with an alarm instead of refused. */
  @optional(Matches(ALIAS, { message: 'gate must be the alias of a gate' }))
  readonly gate?: string;

  /** If given, the order must belong to this merchant. */
  @optional(IsLogin())
  readonly merchant?: string;
}

const DAY_MS = 86_400_000;

type Read<Value> = { readonly ok: Value } | { readonly error: string };

const fail = (error: string): { readonly error: string } => ({ error });

const moneyOf = ({ amount, currency }: ReportRequest): Read<Money | undefined> => {
  if (amount === undefined && currency === undefined) return { ok: undefined };
  if (amount === undefined || currency === undefined) return fail('amount and currency must be given together');
  const minor = parseAmount(amount);
  if (minor === undefined) return fail('amount must be in major units, such as "10.00"');
  return minor === 0n ? fail('amount must be above zero') : { ok: { minor, currency: currency as Currency } };
};

/** The first moment of the day; a day that is no day of the calendar is refused. */
const dayOf = (name: 'date' | 'respondBy', day: string | undefined): Read<Instant | undefined> => {
  if (day === undefined) return { ok: undefined };
  const at = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== day) return fail(`${name} is not a calendar day`);
  return { ok: at as Instant };
};

const instantOf = ({ date }: ReportRequest, now: Instant): Read<Instant | undefined> => {
  const happened = dayOf('date', date);
  return 'ok' in happened && happened.ok !== undefined && happened.ok > now + DAY_MS ? fail('date must not be in the future') : happened;
};

/** A member that the kind of report does not have. */
const strayOf = ({ kind, amount, stage, outcome, respondBy }: ReportRequest): string | undefined => {
  if (respondBy !== undefined && kind !== 'chargeback') return `a ${kind} has no last day to contest it`;
  if (stage !== undefined && kind !== 'chargeback' && kind !== 'representment') return `a ${kind} has no stage`;
  if (outcome !== undefined && kind !== 'representment') return `a ${kind} has no outcome`;
  return amount !== undefined && kind === 'representment'
    ? 'a representment has no amount of its own: it has that of its chargeback'
    : undefined;
};

/** The report that a request brings, or why it is none. */
export const reportIn = (request: ReportRequest, now: Instant): Read<ManualDisputeReport> => {
  const { kind, case: reportId, reasonCode, stage, outcome, gate } = request;
  const stray = strayOf(request);
  if (stray !== undefined) return fail(stray);
  const [money, happened, due] = [moneyOf(request), instantOf(request, now), dayOf('respondBy', request.respondBy)];
  if ('error' in money) return money;
  if ('error' in happened) return happened;
  if ('error' in due) return due;
  const [amount, happenedAt, respondBy] = [money.ok, happened.ok, due.ok];
  const common = {
    reportId,
    source: gate === undefined ? ('operator' as const) : ('file' as const),
    ...(gate !== undefined && { gate: gate as GateAlias }),
    ...(reasonCode !== undefined && { reasonCode }),
    ...(happenedAt !== undefined && { happenedAt }),
  };
  switch (kind) {
    case 'reversal':
      return amount === undefined ? fail('a reversal has an amount') : { ok: { ...common, kind, amount } };
    case 'chargeback':
      if (amount === undefined) return fail('a chargeback has an amount');
      return { ok: { ...common, kind, amount, ...(stage !== undefined && { stage }), ...(respondBy !== undefined && { respondBy }) } };
    case 'representment':
      if (outcome === undefined) return fail('a representment has an outcome');
      return { ok: { ...common, kind, outcome, ...(stage !== undefined && { stage }) } };
    case 'fraud-warning':
      return { ok: { ...common, kind, ...(amount !== undefined && { amount }) } };
    default:
      return unreachable(kind);
  }
};

type ReportReply = HttpReply<{ readonly order: OrderSummary; readonly isKnown: boolean }> | HttpReply<{ readonly setAside: string }, 202>;

const replyTo = (reporting: Reporting, gap: Pick<Refused, 'index'>): ReportReply => {
  if ('order' in reporting) return HttpReply.json(HttpStatus.OK, { order: reporting.order, isKnown: reporting.reason === 'known' });
  if ('cause' in reporting) return HttpReply.json(HttpStatus.ACCEPTED, { setAside: reporting.cause });
  const status = reporting.reason === 'unknown-order' ? HttpStatus.NOT_FOUND : HttpStatus.CONFLICT;
  return HttpReply.json(status, { error: reporting.reason, ...gap });
};

/** What gates report after the end of an order and send on paper or in files, on the operator port alone. */
@OperatorRoutes()
export class OperatorDisputesController {
  constructor(
    @Inject(OperatorService) private readonly operators: OperatorService,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(OrderNames) private readonly names: OrderNames,
  ) {}

  /**
   * Records a reversal, a chargeback, the outcome of a representment or a fraud warning from paper or a file
   * @example {"kind": "chargeback", "case": "CB-77", "amount": "10.42", "currency": "USD", "reasonCode": "10.4", "date": "2026-11-24"}
   * @answer 200 The report is recorded, now or since before
   * @answer 202 The report came from a file and does not fit the order: kept for an operator to review
   * @answer 409 The report does not fit the order
   */
  @Post('orders/:orderId/reports')
  @OperatorRequest('record-report')
  async report(
    @Param('orderId') orderId: string,
    @Action(ReportRequest) message: ReportRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<ReportReply> {
    const report = reportIn(message, this.clock.now());
    if ('error' in report) return HttpReply.json(HttpStatus.BAD_REQUEST, { error: report.error });
    const reporting = await this.operators.report(orderId, report.ok, { operator, claimedActor: message.actor }, message.merchant);
    return replyTo(reporting, await this.names.gapOf(reporting));
  }
}
