import type { Money, Sealed } from '@app/kernel';
import type { CheckFailure, MappedCard, ReceivingCard, ReferredCard } from '../domain';
import type { OpenOrder } from './order-context';

/** The result of one call to the merchant server; `unreachable` may be retried while there is time. */
export type CheckOutcome =
  | {
      readonly kind: 'passed';
      readonly source?: ReferredCard;
      readonly destination?: ReferredCard<ReceivingCard>;
      /** The customer's data, sealed again where the answer filled in what the app left out. */
      readonly customer?: Sealed;
      readonly details?: Sealed;
      /** The sum that the cardholder read on the statement. */
      readonly randomSum?: Money;
    }
  | { readonly kind: 'failed'; readonly cause: Exclude<CheckFailure, 'unreachable'> }
  | { readonly kind: 'unreachable' };

export interface MappedCards {
  readonly source: MappedCard;
  readonly destination?: MappedCard;
}

/** The merchant's own server (interface, sections 4.6 and 4.8). Repeating either call changes nothing that the first one did not. */
export interface MerchantServer {
  /** @throws StoreUnavailable, VaultUnavailable: the result of the check is not known, and the check is due again */
  check(order: OpenOrder): Promise<CheckOutcome>;
  /**
   * Returns within the configured wait; `off` where the merchant's server takes no notifications of cards.
   * @throws StoreUnavailable, VaultUnavailable
   */
  notify(order: OpenOrder, cards: MappedCards): Promise<'acknowledged' | 'not-acknowledged' | 'off'>;
}

/**
 * Issues the references of the cards of an order whose attempt was approved; repeated, the same ones.
 * @throws StoreUnavailable, OutcomeUnknown
 */
export interface CardMapping {
  map(order: OpenOrder): Promise<MappedCards>;
}
