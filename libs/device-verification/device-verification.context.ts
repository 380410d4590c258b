import type { OrderContext } from '@app/order-processing';
import { decideDeviceOrderState } from '@app/order-processing/domain';
import { deviceVerification, type DeviceVerification } from './domain/device-verification.decide';
import type { DeviceVerificationEvent } from './domain/device-verification.events';
import { deviceVerificationCodec } from './device-verification.codec';
import { deviceVerificationStream } from './device-verification.stream';

/** What order-processing's reactors need of this context. */
export const deviceVerificationContext: OrderContext<DeviceVerificationEvent, DeviceVerification> = {
  codec: deviceVerificationCodec,
  decider: {
    initial: deviceVerification.initial,
    evolve: (state, event) => deviceVerification.evolve(state, event),
    decide: (command, state) => decideDeviceOrderState(command, state),
  },
  orderOf: (state) => (state.status === 'none' ? undefined : state),
  streamOf: deviceVerificationStream,
};
