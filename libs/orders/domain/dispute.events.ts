import { type GateAlias, type Instant, type Money, unreachable } from '@app/kernel';
import type { CallbackTarget } from './accepted-order';

/** Who brought a report: the gate itself, a file of the gate's, or an operator who has it on paper. */
export const REPORT_SOURCES = ['gate', 'file', 'operator'] as const;
export type ReportSource = (typeof REPORT_SOURCES)[number];

/** What a gate reports of an order long after it was final. */
export const REPORT_KINDS = ['reversal', 'chargeback', 'representment', 'fraud-warning'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

/** The stages of one case, in their order; a later one takes the money back again that a representment had won. */
export const CHARGEBACK_STAGES = ['first', 'second', 'arbitration'] as const;
export type ChargebackStage = (typeof CHARGEBACK_STAGES)[number];

export const REPRESENTMENT_OUTCOMES = ['won', 'lost'] as const;
export type RepresentmentOutcome = (typeof REPRESENTMENT_OUTCOMES)[number];

/** Why a report does not fit its order. The money that it speaks of counts nowhere here: a person has to look. */
export const MISFIT_CAUSES = [
  'order-not-final',
  'order-not-approved',
  'other-gate',
  'other-attempt',
  'currency-differs',
  'nothing-taken',
  'more-than-taken',
  'case-unknown',
  'contradicts-recorded',
] as const;
export type MisfitCause = (typeof MISFIT_CAUSES)[number];

interface Reported {
  readonly gate: GateAlias;
  /** The gate's own id of the case. Together with kind, stage and outcome it names one report: heard again it changes nothing. */
  readonly reportId: string;
  readonly source: ReportSource;
  /** The card scheme's code. */
  readonly reasonCode?: string;
  /** By the gate's clock. */
  readonly happenedAt?: Instant;
  /** By ours. */
  readonly receivedAt: Instant;
}

interface ReportedMoney extends Reported {
  readonly amount: Money;
  /** Present where more has gone back by now, or may have, than was ever taken: recorded as the gate has it, and alarmed (safety, I12). */
  readonly isAboveTaken?: boolean;
  readonly callbacks: readonly CallbackTarget[];
}

/** The acquirer gave the payer's money back by itself. Of what was authorised and never captured it is a cancel. The event's id is the delivery id. */
export type ReversalReported = {
  readonly type: 'ReversalReported';
  readonly data: ReportedMoney & { readonly operation: 'reversal' | 'cancel' };
};

/** The issuer took the payer's money back. The event's id is the delivery id of the callbacks about it, as with the next two. */
export type ChargebackReceived = {
  readonly type: 'ChargebackReceived';
  readonly data: ReportedMoney & { readonly stage: ChargebackStage };
};

/** What became of a chargeback that was contested: with `won` its money is back. */
export type RepresentmentReported = {
  readonly type: 'RepresentmentReported';
  readonly data: Reported & {
    readonly stage: ChargebackStage;
    readonly outcome: RepresentmentOutcome;
    /** That of the chargeback. */
    readonly amount: Money;
    readonly callbacks: readonly CallbackTarget[];
  };
};

/** The issuer holds the payment for fraud (TC40, SAFE). No money moves. */
export type FraudWarningReceived = {
  readonly type: 'FraudWarningReceived';
  readonly data: Reported & { readonly amount?: Money; readonly callbacks: readonly CallbackTarget[] };
};

/** A report that does not fit its order: kept and alarmed, and it changes nothing. */
export type ReportSetAside = {
  readonly type: 'ReportSetAside';
  readonly data: Reported & {
    readonly kind: ReportKind;
    readonly cause: MisfitCause;
    readonly amount?: Money;
    readonly stage?: ChargebackStage;
    readonly outcome?: RepresentmentOutcome;
  };
};

export type DisputeEvent = ReversalReported | ChargebackReceived | RepresentmentReported | FraudWarningReceived | ReportSetAside;

/** The kind of report that an event records. */
export const reportKindOf = (event: DisputeEvent): ReportKind => {
  switch (event.type) {
    case 'ReversalReported':
      return 'reversal';
    case 'ChargebackReceived':
      return 'chargeback';
    case 'RepresentmentReported':
      return 'representment';
    case 'FraudWarningReceived':
      return 'fraud-warning';
    case 'ReportSetAside':
      return event.data.kind;
  }
};

/** Whether a person has to look: it does not fit its order, or more money has gone back than was taken. */
export const needsAttention = (event: DisputeEvent): boolean =>
  event.type === 'ReportSetAside' || ('isAboveTaken' in event.data && event.data.isAboveTaken === true);

/** A chargeback by the gate's own id, at the latest stage that was reported. */
interface ChargebackCase {
  readonly gate: GateAlias;
  readonly reportId: string;
  readonly stage: ChargebackStage;
  readonly amount: Money;
  readonly status: 'charged-back' | RepresentmentOutcome;
}

type ReportedReversal = Pick<ReversalReported['data'], 'gate' | 'reportId' | 'operation' | 'amount'>;

/** What gates reported of one order after it was final. */
export interface Disputes {
  readonly reversals: readonly ReportedReversal[];
  readonly cases: readonly ChargebackCase[];
  readonly fraudWarnings: readonly Named[];
  /** Among them outcomes of representments that came before their chargebacks. */
  readonly setAside: readonly ReportSetAside['data'][];
}

/** What names a case within one order. */
interface Named {
  readonly gate: GateAlias;
  readonly reportId: string;
}

export const NO_DISPUTES: Disputes = { reversals: [], cases: [], fraudWarnings: [], setAside: [] };

/** Limits what is kept of one order, because its stream and its row are read whole. */
export const REPORTS_MAX = 250;

export const isNamed =
  ({ gate, reportId }: Named) =>
  (one: Named): boolean =>
    one.gate === gate && one.reportId === reportId;

export const rankOf = (stage: ChargebackStage): number => CHARGEBACK_STAGES.indexOf(stage);

const sumOf = (parts: readonly { readonly amount: Money }[]): bigint => parts.reduce((sum, { amount }) => sum + amount.minor, 0n);

/** What the reports took back of what was taken, in minor units; a chargeback that was won back does not count. */
export const takenBackMinor = ({ reversals, cases }: Disputes): bigint =>
  sumOf(reversals.filter(({ operation }) => operation === 'reversal')) + sumOf(cases.filter(({ status }) => status !== 'won'));

/** What the reports released of an authorisation, in minor units. */
export const releasedMinor = ({ reversals }: Disputes): bigint => sumOf(reversals.filter(({ operation }) => operation === 'cancel'));

const withCase = (disputes: Disputes, next: ChargebackCase): Disputes => {
  const index = disputes.cases.findIndex(isNamed(next));
  return { ...disputes, cases: index < 0 ? [...disputes.cases, next] : disputes.cases.with(index, next) };
};

/** @throws Error where the event cannot follow what came before */
export const evolveDisputes = (disputes: Disputes, event: DisputeEvent): Disputes => {
  switch (event.type) {
    case 'ReversalReported': {
      const { gate, reportId, operation, amount } = event.data;
      return { ...disputes, reversals: [...disputes.reversals, { gate, reportId, operation, amount }] };
    }
    case 'ChargebackReceived': {
      const { gate, reportId, stage, amount } = event.data;
      return withCase(disputes, { gate, reportId, stage, amount, status: 'charged-back' });
    }
    case 'RepresentmentReported': {
      const known = disputes.cases.find(isNamed(event.data));
      if (known === undefined) throw new Error('RepresentmentReported before ChargebackReceived');
      return withCase(disputes, { ...known, status: event.data.outcome });
    }
    case 'FraudWarningReceived': {
      const { gate, reportId } = event.data;
      return { ...disputes, fraudWarnings: [...disputes.fraudWarnings, { gate, reportId }] };
    }
    case 'ReportSetAside':
      return { ...disputes, setAside: [...disputes.setAside, event.data] };
    default:
      return unreachable(event);
  }
};
