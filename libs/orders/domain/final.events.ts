import type { AttemptKey, Instant, Money, ResultCode, GateAlias, Sealed } from '@app/kernel';
import type { CallbackTarget } from './accepted-order';

/** The order's end (architecture, rule 11). The event's id is the delivery id of the callbacks about it. */
export type OrderApproved = {
  readonly type: 'OrderApproved';
  readonly data: {
    readonly attemptKey: AttemptKey;
    readonly amount: Money;
    /** 24 random characters; names the receipt page. */
    readonly receiptId: string;
    readonly callbacks: readonly CallbackTarget[];
    readonly approvedAt: Instant;
  };
};

export type OrderDeclined = {
  readonly type: 'OrderDeclined';
  readonly data: {
    readonly code: number;
    readonly callbacks: readonly CallbackTarget[];
    readonly declinedAt: Instant;
  };
};

/** Screening stopped the order before any gate was asked. */
export type OrderFiltered = {
  readonly type: 'OrderFiltered';
  readonly data: {
    readonly code: number;
    readonly callbacks: readonly CallbackTarget[];
    readonly filteredAt: Instant;
  };
};

/** Nothing was charged: 121 where it was interrupted or the gate never received it, 122 where no gate could be asked. */
export type OrderFailed = {
  readonly type: 'OrderFailed';
  readonly data: {
    readonly code: ResultCode<'interrupted-before-gate' | 'no-gate-available'>;
    readonly callbacks: readonly CallbackTarget[];
    readonly failedAt: Instant;
  };
};

export type FinalEvent = OrderApproved | OrderDeclined | OrderFiltered | OrderFailed;

/** What a final status is reconciled to: what the gate settled. */
export const RECONCILED_OUTCOMES = ['approved', 'declined'] as const;
export type ReconciledOutcome = (typeof RECONCILED_OUTCOMES)[number];

interface Grounds {
  /** The reconciliation case with the gate's word as evidence, which a person applied. */
  readonly caseId: string;
  /** The gate that said so. */
  readonly gate: GateAlias;
  /** The person's grounds; the person is in the metadata. */
  readonly reason: Sealed;
  readonly callbacks: readonly CallbackTarget[];
  readonly reconciledAt: Instant;
}

/**
 * The final status of the order was not what the gate settled, and is changed: only this event does that (protocol decisions, section 2). Its id is the
 * delivery id of the callbacks about it.
 */
export type OutcomeReconciled = {
  readonly type: 'OutcomeReconciled';
  readonly data: Grounds & {
    readonly attemptKey: AttemptKey;
    readonly from: 'approved' | 'declined' | 'error';
    readonly to: ReconciledOutcome;
    readonly amount: Money;
    /** Names the receipt page, as of any approval; present where it is approved now. */
    readonly receiptId?: string;
  };
};

/** As `OutcomeReconciled`, for a capture, return or void. */
export type FollowUpReconciled = {
  readonly type: 'FollowUpReconciled';
  readonly data: Grounds & {
    readonly number: number;
    readonly from: 'approved' | 'declined' | 'failed';
    readonly to: ReconciledOutcome;
  };
};
