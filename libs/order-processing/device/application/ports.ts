import type { Money, Sealed } from '@app/kernel';
import type { CheckFailure, MappedCard, ReceivingCard, ReferredCard } from '../../domain';
import type { OpenOrder } from '../../order/application/order-context';

/** What one call to the merchant server came to; `unreachable` may be tried again while there is time. */
export type CheckOutcome =
  | {
      readonly kind: 'passed';
      readonly source?: ReferredCard;
      readonly destination?: ReferredCard<ReceivingCard>;
      /** Sealed anew where the answer filled in what the app left out. */
      readonly customer?: Sealed;
      readonly details?: Sealed;
      /** What the cardholder read on the statement. */
      readonly randomSum?: Money;
    }
  | { readonly kind: 'failed'; readonly cause: Exclude<CheckFailure, 'unreachable'> }
  | { readonly kind: 'unreachable' };

export interface MappedCards {
  readonly source: MappedCard;
  readonly destination?: MappedCard;
}

/** The merchant's own server (interface, sections 4.6 and 4.8). Neither call changes what a repetition of it would not. */
export interface MerchantServer {
  /** @throws StoreUnavailable, VaultUnavailable: nothing is known of the check, and it is due again */
  check(order: OpenOrder): Promise<CheckOutcome>;
  /** Within the configured wait; `off` where the merchant's server is not told of cards at all. @throws StoreUnavailable, VaultUnavailable */
  notify(order: OpenOrder, cards: MappedCards): Promise<'acknowledged' | 'not-acknowledged' | 'off'>;
}

/** Gives the cards of an order whose attempt was approved their references: asked again, the same ones. @throws StoreUnavailable, OutcomeUnknown */
export interface CardMapping {
  map(order: OpenOrder): Promise<MappedCards>;
}
