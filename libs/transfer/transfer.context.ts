import type { OrderContext } from '@app/order-processing';
import { decideDeviceOrderState } from '@app/order-processing/domain';
import { transfer, type Transfer } from './domain/transfer.decide';
import type { TransferEvent } from './domain/transfer.events';
import { transferCodec } from './transfer.codec';
import { transferStream } from './transfer.stream';

/** What order-processing's reactors need of this context. */
export const transferContext: OrderContext<TransferEvent, Transfer> = {
  codec: transferCodec,
  decider: {
    initial: transfer.initial,
    evolve: (state, event) => transfer.evolve(state, event),
    decide: (command, state) => decideDeviceOrderState(command, state),
  },
  orderOf: (state) => (state.status === 'none' ? undefined : state),
  streamOf: transferStream,
};
