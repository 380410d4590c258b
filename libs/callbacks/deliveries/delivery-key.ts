import type { EventId, StreamName } from '@app/event-store';
import type { CallbackTarget } from '@app/orders/events';
import { deliveryStream } from './delivery.stream';

// With a record, a target that is missing here does not compile.
const NAMES: { readonly [Target in CallbackTarget]: Target } = { callback: 'callback', notify: 'notify', notification: 'notification' };

const CALLBACK_TARGETS = Object.values(NAMES);

const isCallbackTarget = (text: string): text is CallbackTarget => Object.hasOwn(NAMES, text);

const SEPARATOR = ':';

/** Names a delivery in the open work: the fact's event id and the target. */
export const deliveryKey = (factId: EventId, target: CallbackTarget): string => `${factId}${SEPARATOR}${target}`;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Checks a text that a person typed. */
export const isDeliveryKey = (text: string): boolean => {
  const at = text.indexOf(SEPARATOR);
  return UUID.test(text.slice(0, Math.max(at, 0))) && isCallbackTarget(text.slice(at + 1));
};

/** The streams that a typed text names: one for a delivery, one for each target of a `webhook-id`, none for any other text. */
export const deliveryStreamsNamed = (text: string): readonly StreamName[] => {
  const keys = UUID.test(text) ? CALLBACK_TARGETS.map((target) => deliveryKey(text as EventId, target)) : [text];
  return keys.filter(isDeliveryKey).map((key) => {
    const { factId, target } = parseDeliveryKey(key);
    return deliveryStream(factId, target);
  });
};

/** @throws Error where `deliveryKey` cannot have made the text. */
export const parseDeliveryKey = (key: string): { readonly factId: EventId; readonly target: CallbackTarget } => {
  const at = key.indexOf(SEPARATOR);
  const target = key.slice(at + 1);
  if (at < 1 || !isCallbackTarget(target)) throw new Error('an item of the open work is no delivery');
  return { factId: key.slice(0, at) as EventId, target };
};
