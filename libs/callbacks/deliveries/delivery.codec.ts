import { streamName, type EventId, type StreamName, eventCodec, f } from '@app/event-store';
import type { CallbackTarget } from '@app/orders/events';
import type {
  CallbackDelivered,
  CallbackExhausted,
  CallbackFailed,
  CallbackResendRequested,
  DeliveryEvent,
  DeliveryIdentity,
  TryFailure,
} from '../domain/delivery';

/** No hyphen: EventStoreDB splits categories at it (architecture, rule 1). */
export const DELIVERY_CATEGORY = 'delivery';

export const deliveryStream = (factId: EventId, target: CallbackTarget): StreamName => streamName(DELIVERY_CATEGORY, factId, target);

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

/** Events contain no address, body or header: an address may contain the merchant's secrets (safety, section 5.1). */
export const deliveryCodec = eventCodec<DeliveryEvent>(DELIVERY_CATEGORY, {
  CallbackDelivered: {
    version: 1,
    meaning: 'The merchant answered a callback with 200, or acknowledged a card mapping notification.',
    schema: f.object<CallbackDelivered['data']>({ ...identity, tries: f.int(), status: f.int(), deliveredAt: f.instant() }),
  },
  CallbackFailed: {
    version: 1,
    meaning: 'An attempt to deliver a callback failed. Another follows.',
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
    meaning: 'The last attempt to deliver a callback failed. The service makes no more, unless an operator requests it.',
    schema: f.object<CallbackExhausted['data']>({ ...identity, tries: f.int(), failure, exhaustedAt: f.instant() }),
  },
  CallbackResendRequested: {
    version: 1,
    meaning: 'An operator, who is the actor, requested another delivery. The callback is sent at once, with the same id and bytes.',
    schema: f.object<CallbackResendRequested['data']>({ ...identity, reason: f.sealed(), requestedAt: f.instant() }),
  },
});

// A record fails to compile if a target is missing.
const NAMES: { readonly [Target in CallbackTarget]: Target } = { callback: 'callback', notify: 'notify', notification: 'notification' };

const CALLBACK_TARGETS = Object.values(NAMES);

const isCallbackTarget = (text: string): text is CallbackTarget => Object.hasOwn(NAMES, text);

const SEPARATOR = ':';

export const deliveryKey = (factId: EventId, target: CallbackTarget): string => `${factId}${SEPARATOR}${target}`;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const isDeliveryKey = (text: string): boolean => {
  const at = text.indexOf(SEPARATOR);
  return UUID.test(text.slice(0, Math.max(at, 0))) && isCallbackTarget(text.slice(at + 1));
};

/** One stream for a delivery, one per target for a `webhook-id`, none for any other text. */
export const deliveryStreamsNamed = (text: string): readonly StreamName[] => {
  const keys = UUID.test(text) ? CALLBACK_TARGETS.map((target) => deliveryKey(text as EventId, target)) : [text];
  return keys.filter(isDeliveryKey).map((key) => {
    const { factId, target } = parseDeliveryKey(key);
    return deliveryStream(factId, target);
  });
};

/** @throws Error unless `deliveryKey` made the text */
export const parseDeliveryKey = (key: string): { readonly factId: EventId; readonly target: CallbackTarget } => {
  const at = key.indexOf(SEPARATOR);
  const target = key.slice(at + 1);
  if (at < 1 || !isCallbackTarget(target)) throw new Error('an item of the open work is no delivery');
  return { factId: key.slice(0, at) as EventId, target };
};
