import type { EventId, EventMetadata, StreamName, WorkChange } from '@app/event-store';
import { unreachable, type Instant, type MerchantLogin } from '@app/kernel';
import { isEventOf, type CallbackTarget } from '@app/orders/events';
import type { DeviceVerificationEvent } from '@app/device-verification/events';
import type { PaymentEvent } from '@app/payment/events';
import type { RecurringEvent } from '@app/recurring/events';
import type { TransferEvent } from '@app/transfer/events';
import { deliveryKey } from './delivery.codec';
import type { DeliveryEvent } from '../domain/delivery';

export interface DeliveryListener {
  readonly stream: StreamName;
  readonly id: EventId;
  readonly event: PaymentEvent | RecurringEvent | DeviceVerificationEvent | TransferEvent | DeliveryEvent;
  readonly metadata: Pick<EventMetadata, 'merchant' | 'recordedAt'>;
}

const due = (factId: EventId, target: CallbackTarget, orderStream: StreamName, dueAt: Instant, merchant: string): WorkChange => ({
  kind: 'due',
  item: {
    key: deliveryKey(factId, target),
    // The partition key is the order, not the delivery: callbacks for one order are sent in order.
    stream: orderStream,
    task: target,
    dueAt,
    merchant: merchant as MerchantLogin,
    lane: merchant,
  },
});

/**
 * Changes of one event to the work table of deliveries (architecture, rule 9). Final events and later reports of a gate open a delivery per
 * target.
 */
export const deliveryWork = (news: DeliveryListener): readonly WorkChange[] => {
  // Read only if something becomes due: the envelope may need parsing.
  const { stream, id, event } = news;
  const told = (targets: readonly CallbackTarget[]): readonly WorkChange[] =>
    targets.map((target) => due(id, target, stream, news.metadata.recordedAt, news.metadata.merchant));
  if (isEventOf(event, 'end', 'reconciliation')) return told(event.data.callbacks);
  if (isEventOf(event, 'choice', 'device', 'attempt')) return [];
  // An accepted follow-up is notified at its end.
  if (isEventOf(event, 'follow-up', 'report'))
    return 'callbacks' in event.data && event.type !== 'FollowUpAccepted' ? told(event.data.callbacks) : [];
  switch (event.type) {
    case 'CallbackFailed': {
      const { factId, target, orderStream, nextTryAt } = event.data;
      return [due(factId, target, orderStream, nextTryAt, news.metadata.merchant)];
    }
    case 'CallbackResendRequested': {
      const { factId, target, orderStream, requestedAt } = event.data;
      return [due(factId, target, orderStream, requestedAt, news.metadata.merchant)];
    }
    case 'CallbackDelivered':
    case 'CallbackExhausted':
      return [{ kind: 'done', key: deliveryKey(event.data.factId, event.data.target) }];
    case 'OrderAccepted':
      return [];
    default:
      return unreachable(event);
  }
};
