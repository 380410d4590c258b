import { unreachable, type GateAlias, type Money } from '@app/kernel';
import {
  CHARGEBACK_STAGES,
  type ChargebackStage,
  type DisputeEvent,
  type ReportSetAside,
  type RepresentmentOutcome,
  type ReversalReported,
} from './dispute.events';

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
export interface Named {
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
