import type { Instant } from '@app/kernel';
import type { CaseApplied, CaseOpened, GateRecord } from '@app/reconciliation/events';

/** The gate's report, with amounts in minor units as text. */
export type GateRecordView = Omit<GateRecord, 'amount' | 'commissionMinor'> & {
  /** Minor units. */
  readonly amountMinor?: string;
  readonly currency?: string;
  /** Minor units. */
  readonly commissionMinor?: string;
};

/** An operator's grounds stay sealed in the log. */
export interface ReconciliationCaseView extends Omit<CaseOpened['data'], 'told'> {
  readonly told: GateRecordView | null;
  readonly status: 'open' | 'closed' | 'applied';
  readonly effect: CaseApplied['data']['effect'] | null;
  readonly closedAt: Instant | null;
  /** The actor that opened the case. */
  readonly openedBy: string;
  readonly closedBy: string | null;
}
