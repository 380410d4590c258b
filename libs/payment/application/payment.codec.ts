import type { ClientOrderId, MerchantLogin } from '@app/kernel';
import { streamName, type StreamName, eventCodec, f, type EventCodec } from '@app/event-store';
import { acceptedOrderFields, processingEventTypes, type OrderContext } from '@app/orders';
import { decideProcessing, isDeviceCommand } from '@app/orders/domain';
import { type PaymentAccepted, type PaymentEvent, payment, type Payment } from '../domain/payment';

export const PAYMENT_CATEGORY = 'payment';

/** The stream's name is the idempotency key (architecture, rule 1). */
export const paymentStream = (merchant: MerchantLogin, clientOrderId: ClientOrderId): StreamName =>
  streamName(PAYMENT_CATEGORY, merchant, clientOrderId);

export const paymentCodec: EventCodec<PaymentEvent> = eventCodec<PaymentEvent>(PAYMENT_CATEGORY, {
  OrderAccepted: {
    version: 1,
    meaning: 'An initial payment was accepted, with its routing plan. It always becomes final.',
    schema: f.object<PaymentAccepted['data']>(acceptedOrderFields()),
  },
  ...processingEventTypes(),
});

export const paymentContext: OrderContext<PaymentEvent, Payment> = {
  codec: paymentCodec,
  decider: {
    initial: payment.initial,
    evolve: (state, event) => payment.evolve(state, event),
    decide: (command, state) =>
      state.status === 'none' || isDeviceCommand(command) ? { reason: 'nothing-new' } : decideProcessing(command, state.processing),
  },
  orderOf: (state) => (state.status === 'none' ? undefined : { order: state.order, processing: state.processing }),
  streamOf: paymentStream,
};
