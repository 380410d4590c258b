import { deviceOrderContext } from '@app/orders';
import type { AcceptedDeviceVerification } from '../domain/device-verification.events';
import { deviceVerificationCodec } from './device-verification.codec';
import { deviceVerificationStream } from './device-verification.stream';

/** Registers this context with the reactors of `orders`. */
export const deviceVerificationContext = deviceOrderContext<AcceptedDeviceVerification>(deviceVerificationCodec, deviceVerificationStream);
