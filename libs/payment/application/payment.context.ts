import type { OrderContext } from '@app/orders';
import { decideProcessing, isDeviceCommand } from '@app/orders/domain';
import type { PaymentEvent } from '../domain/payment.events';
import { payment } from '../domain/payment.decide';
import type { Payment } from '../domain/payment.state';
import { paymentCodec } from './payment.codec';
import { paymentStream } from './payment.stream';

/** Registers this context with the reactors of `orders`. */
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
