import type { ClientOrderId, MerchantLogin } from '@app/kernel';
import { streamName, type StreamName, eventCodec, f, type EventCodec } from '@app/event-store';
import { acceptedOrderFields, cardAtGates, processingEventTypes, type OrderContext } from '@app/orders';
import { decideProcessing, isDeviceCommand } from '@app/orders/domain';
import {
  type RecurrentMarks,
  type RecurrentPaymentAccepted,
  type RecurringEvent,
  RECURRENT_INITIATORS,
  RECURRENT_SCENARIOS,
  recurring,
  type Recurring,
} from '../domain/recurring';

export const RECURRING_CATEGORY = 'recurring';

/** The stream's name is the idempotency key (architecture, rule 1). */
export const recurringStream = (merchant: MerchantLogin, clientOrderId: ClientOrderId): StreamName =>
  streamName(RECURRING_CATEGORY, merchant, clientOrderId);

export const recurringCodec: EventCodec<RecurringEvent> = eventCodec<RecurringEvent>(RECURRING_CATEGORY, {
  OrderAccepted: {
    version: 1,
    meaning: 'A charge of a registered card was accepted, with its routing plan. It always becomes final.',
    schema: f.object<RecurrentPaymentAccepted['data']>({
      ...acceptedOrderFields(),
      cardRefId: f.id<RecurrentPaymentAccepted['data']['cardRefId']>(),
      atGates: f.optional(cardAtGates()),
      marks: f.object<RecurrentMarks>({
        scenario: f.optional(f.oneOf(...RECURRENT_SCENARIOS)),
        initiator: f.optional(f.oneOf(...RECURRENT_INITIATORS)),
      }),
    }),
  },
  ...processingEventTypes(),
});

export const recurringContext: OrderContext<RecurringEvent, Recurring> = {
  codec: recurringCodec,
  decider: {
    initial: recurring.initial,
    evolve: (state, event) => recurring.evolve(state, event),
    decide: (command, state) =>
      state.status === 'none' || isDeviceCommand(command) ? { reason: 'nothing-new' } : decideProcessing(command, state.processing),
  },
  orderOf: (state) =>
    state.status === 'none' ? undefined : { order: state.order, processing: state.processing, marks: state.order.marks },
  streamOf: recurringStream,
};
