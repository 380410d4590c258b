import { deviceOrderDecider } from '@app/order-processing/domain';
import type { AcceptedDeviceVerification } from './device-verification.events';

export const deviceVerification = deviceOrderDecider<AcceptedDeviceVerification>();
