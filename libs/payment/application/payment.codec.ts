import { eventCodec, f, type EventCodec } from '@app/event-store';
import { acceptedOrderFields, processingEventTypes } from '@app/orders';
import type { PaymentAccepted, PaymentEvent } from '../domain/payment.events';
import { PAYMENT_CATEGORY } from './payment.stream';

export const paymentCodec: EventCodec<PaymentEvent> = eventCodec<PaymentEvent>(PAYMENT_CATEGORY, {
  OrderAccepted: {
    version: 1,
    meaning: 'An initial payment was accepted, with its plan; from here on it always becomes final.',
    schema: f.object<PaymentAccepted['data']>(acceptedOrderFields()),
  },
  ...processingEventTypes(),
});
