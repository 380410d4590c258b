import type { ClientOrderId, MerchantLogin } from '@app/kernel';
import { streamName, type StreamName, eventCodec, f, type EventCodec } from '@app/event-store';
import { acceptedDeviceOrderFields, deviceOrderEventTypes, orderCard, deviceOrderContext } from '@app/orders';
import type { AcceptedDeviceVerification, DeviceVerificationEvent } from '../domain/device-verification.events';

export const DEVICE_VERIFICATION_CATEGORY = 'deviceVerification';

/** The stream's name is the idempotency key (architecture, rule 1). */
export const deviceVerificationStream = (merchant: MerchantLogin, invoiceId: ClientOrderId): StreamName =>
  streamName(DEVICE_VERIFICATION_CATEGORY, merchant, invoiceId);

export const deviceVerificationCodec: EventCodec<DeviceVerificationEvent> = eventCodec<DeviceVerificationEvent>(
  DEVICE_VERIFICATION_CATEGORY,
  {
    OrderAccepted: {
      version: 1,
      meaning: 'A device’s card verification was accepted, with its routing plan. It always becomes final.',
      schema: f.object<AcceptedDeviceVerification>({ ...acceptedDeviceOrderFields(), card: orderCard() }),
    },
    ...deviceOrderEventTypes(),
  },
);

export const deviceVerificationContext = deviceOrderContext<AcceptedDeviceVerification>(deviceVerificationCodec, deviceVerificationStream);
