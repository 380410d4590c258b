import { isSameMoney, unreachable, type AttemptKey, type GateAlias, type Instant, type Money, type NonEmpty } from '@app/kernel';
import type { DisputableOrder, DisputedOrder } from './followed-order';
import {
  type ChargebackReceived,
  type ChargebackStage,
  type DisputeEvent,
  type MisfitCause,
  type ReportSetAside,
  type ReportSource,
  type RepresentmentOutcome,
  type RepresentmentReported,
  type ReversalReported,
  evolveDisputes,
  isNamed,
  rankOf,
  releasedMinor,
  REPORTS_MAX,
  takenBackMinor,
  type Disputes,
} from './dispute.events';

interface Report {
  readonly gate: GateAlias;
  readonly reportId: string;
  readonly source: ReportSource;
  readonly attemptKey?: AttemptKey;
  readonly reasonCode?: string;
  readonly happenedAt?: Instant;
}

export type DisputeReport =
  | (Report & { readonly kind: 'reversal'; readonly amount: Money })
  /** Without a stage it is the first. */
  | (Report & { readonly kind: 'chargeback'; readonly amount: Money; readonly stage?: ChargebackStage; readonly respondBy?: Instant })
  /** Without a stage it concerns the latest known one. */
  | (Report & { readonly kind: 'representment'; readonly outcome: RepresentmentOutcome; readonly stage?: ChargebackStage })
  | (Report & { readonly kind: 'fraud-warning'; readonly amount?: Money });

export interface RecordReport {
  readonly type: 'RecordReport';
  readonly data: { readonly report: DisputeReport; readonly now: Instant };
}

/**
 * A misfit from an operator is refused with its cause; one from a gate is set aside. `order-not-final` also refuses a gate's report of an order that
 * no gate was asked about yet.
 */
export type ReportRejection = { readonly reason: 'nothing-new' | 'too-many-reports' | MisfitCause };

type Of<Kind extends DisputeReport['kind']> = Extract<DisputeReport, { readonly kind: Kind }>;
type Verdict = 'fits' | 'known' | MisfitCause;

const FIRST: ChargebackStage = 'first';

const moneyVerdict = ({ amount }: { readonly amount: Money }, { currency }: DisputableOrder, atMostMinor: bigint): Verdict => {
  if (amount.currency !== currency) return 'currency-differs';
  if (atMostMinor === 0n) return 'nothing-taken';
  return amount.minor > 0n && amount.minor <= atMostMinor ? 'fits' : 'more-than-taken';
};

const reversalVerdict = (report: Of<'reversal'>, order: DisputedOrder, { reversals }: Disputes): Verdict => {
  const known = reversals.find(isNamed(report));
  if (known !== undefined) return isSameMoney(known.amount, report.amount) ? 'known' : 'contradicts-recorded';
  if (order.kind !== 'approved') return 'fits';
  return moneyVerdict(report, order, order.takenMinor > 0n ? order.takenMinor : order.heldMinor);
};

const chargebackVerdict = (report: Of<'chargeback'>, order: DisputedOrder, { cases }: Disputes): Verdict => {
  const known = cases.find(isNamed(report));
  if (known !== undefined) {
    const later = rankOf(report.stage ?? FIRST) - rankOf(known.stage);
    if (later < 0) return 'known';
    if (later === 0) return isSameMoney(known.amount, report.amount) ? 'known' : 'contradicts-recorded';
  }
  return order.kind === 'approved' ? moneyVerdict(report, order, order.takenMinor) : 'fits';
};

const representmentVerdict = (report: Of<'representment'>, { cases }: Disputes): Verdict => {
  const known = cases.find(isNamed(report));
  if (known === undefined) return 'case-unknown';
  const later = rankOf(report.stage ?? known.stage) - rankOf(known.stage);
  if (later < 0) return 'known';
  if (later > 0) return 'case-unknown';
  if (known.status === 'charged-back') return 'fits';
  return known.status === report.outcome ? 'known' : 'contradicts-recorded';
};

const ownVerdict = (report: DisputeReport, order: DisputedOrder, disputes: Disputes): Verdict => {
  switch (report.kind) {
    case 'reversal':
      return reversalVerdict(report, order, disputes);
    case 'chargeback':
      return chargebackVerdict(report, order, disputes);
    case 'representment':
      return representmentVerdict(report, disputes);
    case 'fraud-warning':
      return disputes.fraudWarnings.some(isNamed(report)) ? 'known' : 'fits';
    default:
      return unreachable(report);
  }
};

/** A recorded report stays known in any state of the order; the order is checked next, the case last. */
const verdictOf = (report: DisputeReport, order: DisputedOrder, disputes: Disputes): Verdict => {
  const own = ownVerdict(report, order, disputes);
  if (own === 'known') return own;
  if (order.kind === 'not-final') return 'order-not-final';
  if (order.kind === 'not-approved') return 'order-not-approved';
  if (order.gate !== report.gate) return 'other-gate';
  return report.attemptKey === undefined || report.attemptKey === order.attemptKey ? own : 'other-attempt';
};

const commonOf = ({ gate, reportId, source, reasonCode, happenedAt }: Report, receivedAt: Instant) => ({
  gate,
  reportId,
  source,
  ...(reasonCode !== undefined && { reasonCode }),
  ...(happenedAt !== undefined && { happenedAt }),
  receivedAt,
});

const callbacksOf = ({ isNotified }: DisputableOrder) => (isNotified ? (['notify'] as const) : []);

const marked = <Event extends ReversalReported | ChargebackReceived>(event: Event, order: DisputableOrder, before: Disputes): Event => {
  const after = evolveDisputes(before, event);
  const isReleased = event.type === 'ReversalReported' && event.data.operation === 'cancel';
  const leftMinor = isReleased
    ? order.heldMinor - order.cancelledMinor - releasedMinor(after)
    : order.takenMinor - order.returnedMinor - takenBackMinor(after);
  return leftMinor < 0n ? { ...event, data: { ...event.data, isAboveTaken: true } } : event;
};

const reversed = (report: Of<'reversal'>, order: DisputableOrder, disputes: Disputes, now: Instant): ReversalReported => {
  const operation = order.takenMinor > 0n ? 'reversal' : 'cancel';
  const data = { ...commonOf(report, now), operation, amount: report.amount, callbacks: callbacksOf(order) } as const;
  return marked({ type: 'ReversalReported', data }, order, disputes);
};

const represented = (
  report: Report & { readonly outcome: RepresentmentOutcome },
  { stage, amount }: { readonly stage: ChargebackStage; readonly amount: Money },
  order: DisputableOrder,
  now: Instant,
): RepresentmentReported => ({
  type: 'RepresentmentReported',
  data: { ...commonOf(report, now), stage, outcome: report.outcome, amount, callbacks: callbacksOf(order) },
});

/** Includes an outcome reported earlier, so that reports in any sequence have the same result. */
const chargedBack = (report: Of<'chargeback'>, order: DisputableOrder, disputes: Disputes, now: Instant): NonEmpty<DisputeEvent> => {
  const { amount, stage = FIRST, respondBy } = report;
  const due = respondBy === undefined ? {} : { respondBy };
  const data = { ...commonOf(report, now), stage, amount, ...due, callbacks: callbacksOf(order) };
  const received = marked({ type: 'ChargebackReceived', data }, order, disputes);
  const isCaseNew = !disputes.cases.some(isNamed(report));
  for (const early of disputes.setAside) {
    const { cause, outcome } = early;
    if (cause !== 'case-unknown' || outcome === undefined || !isNamed(report)(early)) continue;
    if (early.stage === stage || (early.stage === undefined && isCaseNew))
      return [received, represented({ ...early, outcome }, { stage, amount }, order, now)];
  }
  return [received];
};

const apply = (report: DisputeReport, order: DisputableOrder, disputes: Disputes, now: Instant): NonEmpty<DisputeEvent> => {
  switch (report.kind) {
    case 'reversal':
      return [reversed(report, order, disputes, now)];
    case 'chargeback':
      return chargedBack(report, order, disputes, now);
    case 'representment': {
      const known = disputes.cases.find(isNamed(report));
      if (known === undefined) throw new Error('a representment fits a chargeback that is not there');
      return [represented(report, known, order, now)];
    }
    case 'fraud-warning': {
      const { amount } = report;
      const data = { ...commonOf(report, now), ...(amount !== undefined && { amount }), callbacks: callbacksOf(order) };
      return [{ type: 'FraudWarningReceived', data }];
    }
    default:
      return unreachable(report);
  }
};

const isSameSetAside = (one: ReportSetAside['data'], other: ReportSetAside['data']): boolean =>
  isNamed(one)(other) &&
  one.kind === other.kind &&
  one.cause === other.cause &&
  one.stage === other.stage &&
  one.outcome === other.outcome &&
  one.amount?.minor === other.amount?.minor &&
  one.amount?.currency === other.amount?.currency;

const setAside = (
  report: DisputeReport,
  cause: MisfitCause,
  disputes: Disputes,
  now: Instant,
): NonEmpty<DisputeEvent> | ReportRejection => {
  const data: ReportSetAside['data'] = {
    ...commonOf(report, now),
    kind: report.kind,
    cause,
    ...('amount' in report && report.amount !== undefined && { amount: report.amount }),
    ...('stage' in report && report.stage !== undefined && { stage: report.stage }),
    ...('outcome' in report && { outcome: report.outcome }),
  };
  if (disputes.setAside.some((one) => isSameSetAside(one, data))) return { reason: 'nothing-new' };
  return [{ type: 'ReportSetAside', data }];
};

const countOf = ({ reversals, cases, fraudWarnings, setAside: aside }: Disputes): number =>
  reversals.length + cases.length + fraudWarnings.length + aside.length;

/** A known case continues above the limit of reports. */
const isOfKnownCase = (report: DisputeReport, { cases }: Disputes): boolean =>
  (report.kind === 'chargeback' || report.kind === 'representment') && cases.some(isNamed(report));

/** Records a gate's report, in any sequence and however often, even if more has gone back than was taken (safety, I12). */
export const recordReport = (
  { report, now }: RecordReport['data'],
  order: DisputedOrder,
  disputes: Disputes,
): NonEmpty<DisputeEvent> | ReportRejection => {
  const verdict = verdictOf(report, order, disputes);
  if (verdict === 'known') return { reason: 'nothing-new' };
  const isUnasked = order.kind === 'not-final' && order.isAttemptDue;
  if (verdict !== 'fits' && (report.source === 'operator' || isUnasked)) return { reason: verdict };
  if (countOf(disputes) >= REPORTS_MAX && !isOfKnownCase(report, disputes)) return { reason: 'too-many-reports' };
  if (verdict !== 'fits') return setAside(report, verdict, disputes, now);
  if (order.kind !== 'approved') throw new Error(`a report fits an order that is ${order.kind}`);
  return apply(report, order, disputes, now);
};
