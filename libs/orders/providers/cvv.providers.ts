import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { EVENT_STORE } from '@app/event-store/event-store.tokens';
import { CLOCK, MONOTONIC, SCHEDULER, provide } from '@app/kernel/injection';
import { CallsUnderWay } from '../application/gates/calls-under-way';
import { SubmitAttempt } from '../application/gates/submit-attempt';
import { ORDERS_WATCH } from '../orders.tokens';
import { OrderContexts } from '../application/order-context';
import { CvvSubmitQueue } from '../application/gates/cvv-submit-queue';
import { SweepOwnerlessCards } from '../application/work/sweep-ownerless-cards';

/** Orders whose CVV this process holds. */
export const cvvProviders = [
  provide(
    CvvSubmitQueue,
    {
      contexts: OrderContexts,
      submitting: SubmitAttempt,
      underWay: CallsUnderWay,
      clock: CLOCK,
      monotonic: MONOTONIC,
      scheduler: SCHEDULER,
      watch: ORDERS_WATCH,
    },
    ({ contexts, submitting, underWay, clock, monotonic, scheduler, watch }) =>
      new CvvSubmitQueue(contexts, submitting, underWay, clock, monotonic, scheduler, (stream, error) =>
        watch.workFailed({ stream, task: 'submit' }, error),
      ),
  ),
  provide(
    SweepOwnerlessCards,
    { vault: CARD_VAULT, store: EVENT_STORE, clock: CLOCK },
    ({ vault, store, clock }) => new SweepOwnerlessCards(vault, store, clock),
  ),
];
