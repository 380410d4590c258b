import type { EventId } from '@app/event-store';
import type { CallbackTarget } from '@app/order-processing/events';
import { isCallbackTarget } from './callback-target';

const SEPARATOR = ':';

/** Names a delivery in the open work: the fact's event id and the target. */
export const deliveryKey = (factId: EventId, target: CallbackTarget): string => `${factId}${SEPARATOR}${target}`;

/** @throws Error where `deliveryKey` cannot have made the text. */
export const parseDeliveryKey = (key: string): { readonly factId: EventId; readonly target: CallbackTarget } => {
  const at = key.indexOf(SEPARATOR);
  const target = key.slice(at + 1);
  if (at < 1 || !isCallbackTarget(target)) throw new Error('an item of the open work is no delivery');
  return { factId: key.slice(0, at) as EventId, target };
};
