import type { OrderContext } from '@app/orders';
import { decideProcessing, isDeviceCommand } from '@app/orders/domain';
import type { RecurringEvent } from '../domain/recurring.events';
import { recurring } from '../domain/recurring.decide';
import type { Recurring } from '../domain/recurring.state';
import { recurringCodec } from './recurring.codec';
import { recurringStream } from './recurring.stream';

/** Registers this context with the reactors of `orders`. */
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
