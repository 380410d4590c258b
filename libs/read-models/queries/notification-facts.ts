import type { CardUidNumbers, OrderSealer } from '@app/card-vault';
import { FactMissing, type CallbackFacts, type NotificationFact, mappingNotification } from '@app/callbacks';
import { readChained, type EventId, type EventStore, type StreamName } from '@app/event-store';
import type { MappedCards, OrderContexts } from '@app/orders';
import type { StreamCallbackFacts } from './callback-facts';
import { decodeAny } from './event-codecs';

/** Reads the content of a card notification from the order's stream (interface, section 4.8). */
export class StreamNotificationFacts {
  constructor(
    private readonly store: EventStore,
    private readonly contexts: Pick<OrderContexts, 'open'>,
    private readonly vault: Pick<OrderSealer, 'unseal'> & Pick<CardUidNumbers, 'uidNumber'>,
  ) {}

  /**
   * Undefined once the order's texts were erased.
   * @throws FactMissing where this is no final event of an order with mapped cards
   */
  async factOf(orderStream: StreamName, factId: EventId): Promise<NotificationFact | undefined> {
    const cards = await this.cardsAt(orderStream, factId);
    if (cards === undefined) throw new FactMissing(orderStream, factId);
    const open = await this.contexts.open(orderStream);
    const notification = await mappingNotification(open, cards, this.vault);
    if (notification === undefined) return undefined;
    const { correlation, callerTrace } = open;
    const { merchant, orderId } = open.order;
    return { kind: 'notification', merchant, correlation, callerTrace, orderId, notification };
  }

  private async cardsAt(orderStream: StreamName, factId: EventId): Promise<MappedCards | undefined> {
    let cards: MappedCards | undefined;
    for await (const stored of readChained(this.store, orderStream)) {
      const event = decodeAny(stored);
      if (event?.type === 'CardsMapped') cards = event.data as MappedCards;
      if (stored.id === factId) return event?.type === 'OrderApproved' ? cards : undefined;
    }
    return undefined;
  }
}

/** The facts of every delivery, by its target. */
export const deliveryFacts = (callbacks: StreamCallbackFacts, notifications: StreamNotificationFacts): CallbackFacts => ({
  factOf: (orderStream, factId, target) =>
    target === 'notification' ? notifications.factOf(orderStream, factId) : callbacks.factOf(orderStream, factId, target),
});
