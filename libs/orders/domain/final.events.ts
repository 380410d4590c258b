import type { AttemptKey, Instant, Money, ResultCode } from '@app/kernel';
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
