import { unreachable, type Instant, type MerchantLogin } from '@app/kernel';
import type { DeliveryEvent } from '@app/callbacks/events';
import { CannotApply } from '../engine/faults';
import type { LogEvent } from '../engine/log-event';
import type { DeliveryView } from './delivery.view';

type Changed = Pick<DeliveryView, 'status' | 'tries' | 'failure' | 'httpStatus' | 'changedAt' | 'nextTryAt'>;

const changedBy = (view: DeliveryView | undefined, event: DeliveryEvent): Changed => {
  switch (event.type) {
    case 'CallbackDelivered':
      return { status: 'delivered', tries: event.data.tries, httpStatus: event.data.status, changedAt: event.data.deliveredAt };
    case 'CallbackFailed': {
      const { tryNumber: tries, failure, failedAt: changedAt, nextTryAt } = event.data;
      return { status: 'waiting', tries, failure, changedAt, nextTryAt };
    }
    case 'CallbackExhausted': {
      const { tries, failure, exhaustedAt: changedAt } = event.data;
      return { status: 'exhausted', tries, failure, changedAt };
    }
    case 'CallbackResendRequested': {
      const { requestedAt: changedAt } = event.data;
      const { tries = 0, failure, httpStatus } = view ?? {};
      const latest = { ...(failure && { failure }), ...(httpStatus !== undefined && { httpStatus }) };
      return { status: 'waiting', tries, ...latest, changedAt, nextTryAt: changedAt };
    }
    default:
      return unreachable(event);
  }
};

/** @throws CannotApply if the event cannot follow the previous ones */
export const foldDelivery = (view: DeliveryView | undefined, { event, metadata }: LogEvent<DeliveryEvent>): DeliveryView => {
  if (view !== undefined && view.status !== 'waiting' && event.type !== 'CallbackResendRequested')
    throw new CannotApply(`${event.type} of a delivery that is ${view.status}`);
  const changed = changedBy(view, event);
  const { factId, target, orderStream } = event.data;
  const { merchant, since } = view ?? { merchant: metadata.merchant as MerchantLogin, since: changed.changedAt satisfies Instant };
  return { merchant, orderStream, factId, target, since, ...changed };
};
