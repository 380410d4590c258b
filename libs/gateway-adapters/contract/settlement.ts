import type { Instant, Money } from '@app/kernel';

/** What a line of a settlement file can tell of, in our words; a return is of any sum, captured or not. */
export const SETTLED_OPERATIONS = ['sale', 'preauth', 'account-verification', 'transfer', 'capture', 'return', 'void'] as const;
export type SettledOperation = (typeof SETTLED_OPERATIONS)[number];

/** One transaction as the gate settled it. */
export interface SettlementLine {
  /** The key of the attempt that the gate was sent; for a follow-up, that of the attempt which it follows. */
  readonly original: string;
  /** The follow-up's own key, where the gate knows it. */
  readonly key?: string;
  /** The gate's own name of this one transaction: a second line with the same name is a double. */
  readonly reference: string;
  readonly operation: SettledOperation;
  /** `open`: the gate has not decided. */
  readonly status: 'approved' | 'declined' | 'open';
  readonly amount: Money;
  /** What the gate withheld, in the currency of the amount; absent where the file does not tell. */
  readonly commissionMinor?: bigint;
  /** The gate's own time. */
  readonly processedAt: Instant;
  /** The gate's own name of the order. */
  readonly gateOrderId?: string;
  readonly rrn?: string;
}

/** A line that is being read: what may be absent is set where it is there, which costs a fraction of a spread, and files have millions of lines. */
export type SettlementDraft = { -readonly [Member in keyof SettlementLine]: SettlementLine[Member] };

/** Why a row is not compared: which column, and what must stand there. Never what stands there. */
export interface SettlementFault {
  readonly column: string;
  readonly must: string;
  /** The attempt that the row names; absent if that column is at fault too. */
  readonly original?: string;
  /** The row is of an event after the end of its order, such as a chargeback: no request of ours has its row there. */
  readonly isLaterEvent?: true;
}

/** Why a later event is not compared, and what takes it. */
export const LATER_EVENT = 'is an event after the end of the order: record it with orch dispute import or orch chargeback add';

/** How the settlement files of an adapter's gates read: comma-separated values whose header names these columns in this order. */
export interface SettlementFormat {
  readonly columns: readonly string[];
  /** Of these, the ones that hold amounts, or references of an order or a transaction as either side numbers them; the others are searched for card numbers as free text. */
  readonly references: readonly string[];
  /** @param fields as many as there are columns */
  read(fields: readonly string[]): SettlementLine | SettlementFault;
}
