/** An order of a gate with a settlement file of its own: its key and number alike on both sides. */
export const settlementKey = (number: number): string => `${number.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;

/** The time between two orders, so that a million of them are a day's. */
export const SETTLEMENT_GAP_MS = 80;

export interface FillSettlement {
  readonly kind: 'fill';
  /** The read model's file, and the settlement file. */
  readonly path: string;
  readonly csv: string;
  readonly orders: number;
}

export interface CompareSettlement {
  readonly kind: 'compare';
  readonly path: string;
  readonly csv: string;
}

export interface SettlementCompared {
  readonly lines: number;
  readonly matched: number;
  readonly elapsedMs: number;
  readonly cpuMs: number;
  /** The most that the process had resident, in MiB. */
  readonly residentMaxMib: number;
}
