import type { Instant, Money } from '@app/kernel';

/** Operations of a settlement line. `return` covers both captured and authorised sums. */
export const SETTLED_OPERATIONS = ['sale', 'preauth', 'account-verification', 'transfer', 'capture', 'return', 'void'] as const;
export type SettledOperation = (typeof SETTLED_OPERATIONS)[number];

export interface SettlementLine {
  /** The attempt's key; for a follow-up, the key of the attempt that it follows. */
  readonly original: string;
  readonly key?: string;
  /** The gate's name of this transaction: a second line with the same name is a duplicate. */
  readonly reference: string;
  readonly operation: SettledOperation;
  /** `open`: the gate has not decided. */
  readonly status: 'approved' | 'declined' | 'open';
  readonly amount: Money;
  /** Withheld by the gate, in the currency of the amount. */
  readonly commissionMinor?: bigint;
  readonly processedAt: Instant;
  readonly gateOrderId?: string;
  readonly rrn?: string;
}

/** Mutable while a line is read: assigning members costs a fraction of a spread, and files have millions of lines. */
export type SettlementDraft = { -readonly [Member in keyof SettlementLine]: SettlementLine[Member] };

/** Why a row is not compared: the column and the rule it breaks, never the value. */
export interface SettlementFault {
  readonly column: string;
  readonly must: string;
  readonly original?: string;
  /** The row is an event after the order's end, such as a chargeback: no request of ours corresponds to it. */
  readonly isLaterEvent?: true;
}

export const LATER_EVENT = 'is an event after the end of the order: record it with orch dispute import or orch chargeback add';

/** Format of the settlement files: comma-separated values with these columns, in this order, in the header. */
export interface SettlementFormat {
  readonly columns: readonly string[];
  /**
   * Columns with amounts or with references of orders or transactions. All other columns are searched for card numbers.
   */
  readonly references: readonly string[];
  read(fields: readonly string[]): SettlementLine | SettlementFault;
}
