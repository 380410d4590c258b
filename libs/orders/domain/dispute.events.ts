import { type GateAlias, type Instant, type Money, unreachable } from '@app/kernel';
import type { CallbackTarget } from './accepted-order';

export const REPORT_SOURCES = ['gate', 'file', 'operator'] as const;
export type ReportSource = (typeof REPORT_SOURCES)[number];

export const REPORT_KINDS = ['reversal', 'chargeback', 'representment', 'fraud-warning'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

/** In order; a later stage takes back money that a representment had won. */
export const CHARGEBACK_STAGES = ['first', 'second', 'arbitration'] as const;
export type ChargebackStage = (typeof CHARGEBACK_STAGES)[number];

export const REPRESENTMENT_OUTCOMES = ['won', 'lost'] as const;
export type RepresentmentOutcome = (typeof REPRESENTMENT_OUTCOMES)[number];

/** The report's money is not counted; an operator has to check. */
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
  /** With kind, stage and outcome it identifies one report; a repeat changes nothing. */
  readonly reportId: string;
  readonly source: ReportSource;
  readonly reasonCode?: string;
  readonly happenedAt?: Instant;
  readonly receivedAt: Instant;
}

interface ReportedMoney extends Reported {
  readonly amount: Money;
  /** Present if more has gone back, or may have, than was taken: recorded as the gate reported it, and alarmed (safety, I12). */
  readonly isAboveTaken?: boolean;
  readonly callbacks: readonly CallbackTarget[];
}

/** The acquirer returned the payer's money without our request; a cancel if it was never captured. The event's id is the delivery id. */
export type ReversalReported = {
  readonly type: 'ReversalReported';
  readonly data: ReportedMoney & { readonly operation: 'reversal' | 'cancel' };
};

/** The issuer took the payer's money back. The event's id is the delivery id of its callbacks, as for the next two. */
export type ChargebackReceived = {
  readonly type: 'ChargebackReceived';
  readonly data: ReportedMoney & {
    readonly stage: ChargebackStage;
    /** Midnight in UTC of the last day to contest it; absent if the report has none. */
    readonly respondBy?: Instant;
  };
};

/** The outcome of a contested chargeback: with `won` its money is back. */
export type RepresentmentReported = {
  readonly type: 'RepresentmentReported';
  readonly data: Reported & {
    readonly stage: ChargebackStage;
    readonly outcome: RepresentmentOutcome;
    readonly amount: Money;
    readonly callbacks: readonly CallbackTarget[];
  };
};

/** The issuer holds the payment for fraud (TC40, SAFE). No money moves. */
export type FraudWarningReceived = {
  readonly type: 'FraudWarningReceived';
  readonly data: Reported & { readonly amount?: Money; readonly callbacks: readonly CallbackTarget[] };
};

/** A report that does not fit its order: kept and alarmed; it changes nothing. */
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

/** True if the report does not fit its order, or more money has gone back than was taken. */
export const needsAttention = (event: DisputeEvent): boolean =>
  event.type === 'ReportSetAside' || ('isAboveTaken' in event.data && event.data.isAboveTaken === true);

interface ChargebackCase {
  readonly gate: GateAlias;
  readonly reportId: string;
  readonly stage: ChargebackStage;
  readonly amount: Money;
  readonly status: 'charged-back' | RepresentmentOutcome;
}

type ReportedReversal = Pick<ReversalReported['data'], 'gate' | 'reportId' | 'operation' | 'amount'>;

export interface Disputes {
  readonly reversals: readonly ReportedReversal[];
  readonly cases: readonly ChargebackCase[];
  readonly fraudWarnings: readonly Named[];
  /** Includes representments that arrived before their chargebacks. */
  readonly setAside: readonly ReportSetAside['data'][];
}

interface Named {
  readonly gate: GateAlias;
  readonly reportId: string;
}

export const NO_DISPUTES: Disputes = { reversals: [], cases: [], fraudWarnings: [], setAside: [] };

/** Limited, because the order's stream and row are read whole. */
export const REPORTS_MAX = 250;

export const isNamed =
  ({ gate, reportId }: Named) =>
  (one: Named): boolean =>
    one.gate === gate && one.reportId === reportId;

export const rankOf = (stage: ChargebackStage): number => CHARGEBACK_STAGES.indexOf(stage);

const sumOf = (parts: readonly { readonly amount: Money }[]): bigint => parts.reduce((sum, { amount }) => sum + amount.minor, 0n);

/** In minor units; a chargeback that was won back does not count. */
export const takenBackMinor = ({ reversals, cases }: Disputes): bigint =>
  sumOf(reversals.filter(({ operation }) => operation === 'reversal')) + sumOf(cases.filter(({ status }) => status !== 'won'));

export const releasedMinor = ({ reversals }: Disputes): bigint => sumOf(reversals.filter(({ operation }) => operation === 'cancel'));

const withCase = (disputes: Disputes, next: ChargebackCase): Disputes => {
  const index = disputes.cases.findIndex(isNamed(next));
  return { ...disputes, cases: index < 0 ? [...disputes.cases, next] : disputes.cases.with(index, next) };
};

/** @throws Error if the event cannot follow the previous ones */
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
