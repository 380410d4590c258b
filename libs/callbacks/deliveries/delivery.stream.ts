import { streamName, type EventId, type StreamName } from '@app/event-store';
import type { CallbackTarget } from '@app/orders/events';

/** No hyphen: EventStoreDB cuts there (architecture, rule 1). */
export const DELIVERY_CATEGORY = 'delivery';

/** One stream a fact and target. */
export const deliveryStream = (factId: EventId, target: CallbackTarget): StreamName => streamName(DELIVERY_CATEGORY, factId, target);
