import { unreachable, type Instant } from '@app/kernel';
import type { DeliveryEvent } from './delivery.events';

/** The state of the delivery of one fact to one target. */
export type Delivery =
  | { readonly status: 'untried' }
  /** `since` is the time of the newest try, or of a person's request for another. */
  | { readonly status: 'waiting'; readonly tries: number; readonly nextTryAt: Instant; readonly since: Instant }
  | { readonly status: 'delivered'; readonly tries: number }
  | { readonly status: 'exhausted'; readonly tries: number };

export const triesOf = (state: Delivery): number => (state.status === 'untried' ? 0 : state.tries);

export const evolve = (state: Delivery, event: DeliveryEvent): Delivery => {
  if (event.type === 'CallbackResendRequested') {
    const { requestedAt } = event.data;
    return { status: 'waiting', tries: triesOf(state), nextTryAt: requestedAt, since: requestedAt };
  }
  if (state.status === 'delivered' || state.status === 'exhausted') throw new Error(`${event.type} of a delivery that is ${state.status}`);
  const tries = triesOf(state) + 1;
  switch (event.type) {
    case 'CallbackDelivered':
      if (event.data.tries !== tries) throw new Error(`${event.type} counts ${event.data.tries} tries, not ${tries}`);
      return { status: 'delivered', tries };
    case 'CallbackFailed':
      if (event.data.tryNumber !== tries) throw new Error(`${event.type} of try ${event.data.tryNumber}, not ${tries}`);
      return { status: 'waiting', tries, nextTryAt: event.data.nextTryAt, since: event.data.failedAt };
    case 'CallbackExhausted':
      if (event.data.tries !== tries) throw new Error(`${event.type} counts ${event.data.tries} tries, not ${tries}`);
      return { status: 'exhausted', tries };
    default:
      return unreachable(event);
  }
};
