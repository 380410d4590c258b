import { deviceOrderDecider } from '@app/orders/domain';
import type { AcceptedDeviceVerification } from './device-verification.events';

export const deviceVerification = deviceOrderDecider<AcceptedDeviceVerification>();
