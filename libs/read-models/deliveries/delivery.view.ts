import type { EventId, StreamName } from '@app/event-store';
import type { Instant, MerchantLogin } from '@app/kernel';
import type { TryFailure } from '@app/callbacks/events';
import type { CallbackTarget } from '@app/orders/events';

/** `waiting`: an attempt is due; `exhausted`: given up. A delivery has a row from its first attempt on. */
export const DELIVERY_STATUSES = ['waiting', 'exhausted', 'delivered'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export interface DeliveryView {
  readonly merchant: MerchantLogin;
  readonly orderStream: StreamName;
  readonly factId: EventId;
  readonly target: CallbackTarget;
  readonly status: DeliveryStatus;
  readonly tries: number;
  /** Of the latest attempt; absent after a success. */
  readonly failure?: TryFailure;
  /** Of the attempt that delivered it. */
  readonly httpStatus?: number;
  /** The first attempt. It never changes, so pages in its order neither skip nor repeat a delivery. */
  readonly since: Instant;
  /** The latest attempt or request. */
  readonly changedAt: Instant;
  readonly nextTryAt?: Instant;
}
