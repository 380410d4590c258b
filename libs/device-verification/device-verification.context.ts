import { deviceOrderContext } from '@app/order-processing';
import type { AcceptedDeviceVerification } from './domain/device-verification.events';
import { deviceVerificationCodec } from './device-verification.codec';
import { deviceVerificationStream } from './device-verification.stream';

/** What order-processing's reactors need of this context. */
export const deviceVerificationContext = deviceOrderContext<AcceptedDeviceVerification>(deviceVerificationCodec, deviceVerificationStream);
