import type { Money, Sealed } from '@app/kernel';
import type { CheckFailure, MappedCard, ReceivingCard, ReferredCard } from '../domain';
import type { OpenOrder } from './order-context';

export type CheckOutcome =
  | {
      readonly kind: 'passed';
      readonly source?: ReferredCard;
      readonly destination?: ReferredCard<ReceivingCard>;
      readonly customer?: Sealed;
      readonly details?: Sealed;
      /** As the cardholder read it on the statement. */
      readonly randomSum?: Money;
    }
  | { readonly kind: 'failed'; readonly cause: Exclude<CheckFailure, 'unreachable'> }
  | { readonly kind: 'unreachable' };

export interface MappedCards {
  readonly source: MappedCard;
  readonly destination?: MappedCard;
}

/** Both calls are idempotent (interface, sections 4.6 and 4.8). */
export interface MerchantServer {
  /** @throws StoreUnavailable, VaultUnavailable: the result is unknown, and the check is due again */
  check(order: OpenOrder): Promise<CheckOutcome>;
  /**
   * `off` if the merchant's server takes no notifications of cards.
   * @throws StoreUnavailable, VaultUnavailable
   */
  notify(order: OpenOrder, cards: MappedCards): Promise<'acknowledged' | 'not-acknowledged' | 'off'>;
}

export interface CardMapping {
  map(order: OpenOrder): Promise<MappedCards>;
}
