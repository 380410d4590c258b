import type { AttemptKey, Instant, Money, ResultCode, GateAlias, Sealed } from '@app/kernel';
import type { CallbackTarget } from './accepted-order';

/** The order's end (architecture, rule 11). The event's id is the delivery id of its callbacks. */
export type OrderApproved = {
  readonly type: 'OrderApproved';
  readonly data: {
    readonly attemptKey: AttemptKey;
    readonly amount: Money;
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

export type OrderFiltered = {
  readonly type: 'OrderFiltered';
  readonly data: {
    readonly code: number;
    readonly callbacks: readonly CallbackTarget[];
    readonly filteredAt: Instant;
  };
};

/** Nothing was charged: 121 if it was interrupted or the gate never received it, 122 if no gate could be asked. */
export type OrderFailed = {
  readonly type: 'OrderFailed';
  readonly data: {
    readonly code: ResultCode<'interrupted-before-gate' | 'no-gate-available'>;
    readonly callbacks: readonly CallbackTarget[];
    readonly failedAt: Instant;
  };
};

export type FinalEvent = OrderApproved | OrderDeclined | OrderFiltered | OrderFailed;

/** Final statuses that a gate's settlement can lead to. */
export const RECONCILED_OUTCOMES = ['approved', 'declined'] as const;
export type ReconciledOutcome = (typeof RECONCILED_OUTCOMES)[number];

interface Grounds {
  readonly caseId: string;
  readonly gate: GateAlias;
  readonly reason: Sealed;
  readonly callbacks: readonly CallbackTarget[];
  readonly reconciledAt: Instant;
}

/** The only event that changes a final status (protocol decisions, section 2). Its id is the delivery id of its callbacks. */
export type OutcomeReconciled = {
  readonly type: 'OutcomeReconciled';
  readonly data: Grounds & {
    readonly attemptKey: AttemptKey;
    readonly from: 'approved' | 'declined' | 'error';
    readonly to: ReconciledOutcome;
    readonly amount: Money;
    /** Names the receipt page; present if the order is approved now. */
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
