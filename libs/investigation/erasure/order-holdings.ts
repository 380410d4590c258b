import type { OrderKeyId } from '@app/card-vault';
import type { StreamName } from '@app/event-store';
import type { ErasedCard, ErasedOrder } from './domain/erasure.events';

/** Why the data of an order are still needed. */
export type Obstacle = 'not-final' | 'follow-up-open' | 'callback-due' | 'dispute-open' | 'case-open';

/** What of an order can be destroyed in the vault, and what stands against it. */
export interface OrderHoldings extends ErasedOrder {
  readonly obstacles: readonly Obstacle[];
  /** Keys of its personal data and free text; not those of what operators gave as reasons, which are evidence, nor those of another order. */
  readonly texts: readonly OrderKeyId[];
  /** Cards that came with this order, with the references that charge them. A card that was given by a reference belongs to another order. */
  readonly cards: readonly ErasedCard[];
}

/** Reads what an order holds. */
export interface HoldingsOfOrders {
  /** Undefined where there is no order. @throws StoreUnavailable, BrokenChain */
  of(stream: StreamName): Promise<OrderHoldings | undefined>;
}
