import { eventCodec, f, type EventCodec } from '@app/event-store';
import { acceptedOrderFields, cardAtGates, processingEventTypes } from '@app/orders';
import {
  type RecurrentMarks,
  type RecurrentPaymentAccepted,
  type RecurringEvent,
  RECURRENT_INITIATORS,
  RECURRENT_SCENARIOS,
} from '../domain/recurring.events';
import { RECURRING_CATEGORY } from './recurring.stream';

export const recurringCodec: EventCodec<RecurringEvent> = eventCodec<RecurringEvent>(RECURRING_CATEGORY, {
  OrderAccepted: {
    version: 1,
    meaning: 'A charge of a registered card was accepted, with its plan; from here on it always becomes final.',
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
