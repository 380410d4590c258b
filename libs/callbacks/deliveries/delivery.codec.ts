import { eventCodec, f } from '@app/event-store';
import { DELIVERY_CATEGORY } from './delivery.stream';
import type {
  CallbackDelivered,
  CallbackExhausted,
  CallbackFailed,
  CallbackResendRequested,
  DeliveryEvent,
  DeliveryIdentity,
  TryFailure,
} from '../domain/delivery.events';

const identity = {
  factId: f.id<DeliveryIdentity['factId']>(),
  target: f.oneOf('callback', 'notify', 'notification'),
  orderStream: f.id<DeliveryIdentity['orderStream']>(),
};

const failure = f.tagged<TryFailure, 'cause'>('cause', {
  answered: f.object({ status: f.int() }),
  'timed-out': f.object({}),
  'connection-failed': f.object({ code: f.id() }),
  'refused-target': f.object({ reason: f.id() }),
  'answer-too-large': f.object({}),
  'answer-malformed': f.object({}),
  'not-acknowledged': f.object({}),
  'malformed-request': f.object({}),
  'no-address': f.object({}),
  'unknown-merchant': f.object({}),
});

/** No event holds an address, body or header of a callback: an address may carry the merchant's own secrets (safety, section 5.1). */
export const deliveryCodec = eventCodec<DeliveryEvent>(DELIVERY_CATEGORY, {
  CallbackDelivered: {
    version: 1,
    meaning: 'The merchant answered a callback with 200, or acknowledged a card mapping notification.',
    schema: f.object<CallbackDelivered['data']>({ ...identity, tries: f.int(), status: f.int(), deliveredAt: f.instant() }),
  },
  CallbackFailed: {
    version: 1,
    meaning: 'A try to deliver a callback failed, and another follows.',
    schema: f.object<CallbackFailed['data']>({
      ...identity,
      tryNumber: f.int(),
      failure,
      failedAt: f.instant(),
      nextTryAt: f.instant(),
    }),
  },
  CallbackExhausted: {
    version: 1,
    meaning: 'The last try to deliver a callback failed; no more follow of themselves.',
    schema: f.object<CallbackExhausted['data']>({ ...identity, tries: f.int(), failure, exhaustedAt: f.instant() }),
  },
  CallbackResendRequested: {
    version: 1,
    meaning: 'A person, who is the actor, wants a callback sent once more: it is due at once, under the same id and with the same bytes.',
    schema: f.object<CallbackResendRequested['data']>({ ...identity, reason: f.sealed(), requestedAt: f.instant() }),
  },
});
