import { eventCodec, f, type EventCodec } from '@app/event-store';
import { acceptedDeviceOrderFields, deviceOrderEventTypes, orderCard } from '@app/orders';
import type { AcceptedDeviceVerification, DeviceVerificationEvent } from '../domain/device-verification.events';
import { DEVICE_VERIFICATION_CATEGORY } from './device-verification.stream';

export const deviceVerificationCodec: EventCodec<DeviceVerificationEvent> = eventCodec<DeviceVerificationEvent>(
  DEVICE_VERIFICATION_CATEGORY,
  {
    OrderAccepted: {
      version: 1,
      meaning: 'A device’s verification of a card was accepted, with its plan; from here on it always becomes final.',
      schema: f.object<AcceptedDeviceVerification>({ ...acceptedDeviceOrderFields(), card: orderCard() }),
    },
    ...deviceOrderEventTypes(),
  },
);
