import type { Instant } from '@app/kernel';
import type { CaseApplied, CaseOpened, GateWord } from '@app/reconciliation/events';

/** What the gate said, with amounts in minor units as text. */
export type ToldView = Omit<GateWord, 'amount' | 'commissionMinor'> & {
  /** Minor units. */
  readonly amountMinor?: string;
  readonly currency?: string;
  /** Minor units. */
  readonly commissionMinor?: string;
};

/** A reconciliation case; the grounds of a person stay sealed in the log. */
export interface ReconciliationCaseView extends Omit<CaseOpened['data'], 'told'> {
  readonly told: ToldView | null;
  readonly status: 'open' | 'closed' | 'applied';
  readonly effect: CaseApplied['data']['effect'] | null;
  readonly closedAt: Instant | null;
  /** Who opened it, and who closed it. */
  readonly openedBy: string;
  readonly closedBy: string | null;
}
