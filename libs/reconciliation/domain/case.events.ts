import type { SettledOperation } from '@app/gateway-adapters/contract';
import type { GateAlias, Instant, Money, Sealed } from '@app/kernel';
import type { FieldDifference, FindingKind } from './findings';

/** Where the gate said it. */
export const CASE_SOURCES = ['file', 'inquiry'] as const;
export type CaseSource = (typeof CASE_SOURCES)[number];

/** What the gate said of the transaction; absent where it did not mention it. */
export interface GateWord {
  readonly status: 'approved' | 'declined' | 'open';
  readonly amount?: Money;
  readonly commissionMinor?: bigint;
  readonly processedAt?: Instant;
  /** The gate's own name of the transaction. */
  readonly reference?: string;
  /** Of the file, which the digest names. */
  readonly line?: number;
}

/** The order that the case is about, where we have one. */
export interface CaseOrder {
  readonly orderId: string;
  readonly merchant: string;
  /** The number of the follow-up; absent for the order's own attempt. */
  readonly followUp?: number;
}

/**
 * A difference between our log and a gate's settlement, for a person to look at; the same difference opens one case, and opens it anew where it
 * comes back after it was applied.
 */
export type CaseOpened = {
  readonly type: 'CaseOpened';
  readonly data: {
    readonly gate: GateAlias;
    readonly kind: FindingKind;
    readonly source: CaseSource;
    /** The key of the attempt that the gate was sent. */
    readonly original: string;
    /** The key of the request itself, where it is ours. */
    readonly key?: string;
    readonly operation: SettledOperation;
    readonly order?: CaseOrder;
    readonly differences: readonly FieldDifference[];
    readonly told?: GateWord;
    /** SHA-256 of the file, hex. */
    readonly fileDigest?: string;
    readonly openedAt: Instant;
  };
};

/** A person looked at it, and nothing is to be changed here. */
export type CaseClosed = {
  readonly type: 'CaseClosed';
  readonly data: { readonly reason: Sealed; readonly closedAt: Instant };
};

/** The gate's word was applied to the order, whose own event says so; `held-already` where it said the same by then. */
export type CaseApplied = {
  readonly type: 'CaseApplied';
  readonly data: {
    readonly to: 'approved' | 'declined';
    readonly effect: 'reconciled' | 'resolved' | 'held-already';
    readonly reason: Sealed;
    readonly appliedAt: Instant;
  };
};

export type CaseEvent = CaseOpened | CaseClosed | CaseApplied;
