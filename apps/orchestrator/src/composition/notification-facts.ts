import type { CardUidNumbers, OrderSealer } from '@app/card-vault';
import type { CallbackFacts, NotificationFact } from '@app/deliveries';
import type { EventId, EventStore, StreamName } from '@app/event-store';
import type { MappedCards, OrderContexts } from '@app/order-processing';
import { mappingNotification } from '../group-b/merchant-server/device-transaction';
import type { StreamCallbackFacts } from './callback-facts';
import { decodeAny } from './event-codecs';

/** Reads what a merchant server is told of an order's cards from the order's stream (interface, section 4.8). */
export class StreamNotificationFacts {
  constructor(
    private readonly store: EventStore,
    private readonly contexts: Pick<OrderContexts, 'open'>,
    private readonly vault: Pick<OrderSealer, 'unseal'> & Pick<CardUidNumbers, 'uidNumber'>,
  ) {}

  /** Undefined where this is no final event of an order with mapped cards, and once the order's texts were erased. */
  async factOf(orderStream: StreamName, factId: EventId): Promise<NotificationFact | undefined> {
    const cards = await this.cardsAt(orderStream, factId);
    if (cards === undefined) return undefined;
    const open = await this.contexts.open(orderStream);
    const notification = await mappingNotification(open, cards, this.vault);
    if (notification === undefined) return undefined;
    return { kind: 'notification', merchant: open.order.merchant, correlation: open.correlation, notification };
  }

  private async cardsAt(orderStream: StreamName, factId: EventId): Promise<MappedCards | undefined> {
    let cards: MappedCards | undefined;
    for await (const stored of this.store.read(orderStream)) {
      const event = decodeAny(stored);
      if (event?.type === 'CardsMapped') cards = event.data as MappedCards;
      if (stored.id === factId) return event?.type === 'OrderApproved' ? cards : undefined;
    }
    return undefined;
  }
}

/** Every target's facts, by who hears of them. */
export const deliveryFacts = (callbacks: StreamCallbackFacts, notifications: StreamNotificationFacts): CallbackFacts => ({
  factOf: (orderStream, factId, target) =>
    target === 'notification' ? notifications.factOf(orderStream, factId) : callbacks.factOf(orderStream, factId, target),
});
