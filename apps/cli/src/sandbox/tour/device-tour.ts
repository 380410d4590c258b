import { payByReference, payWithCard, verifyCard, forgeAmount, transferBetweenCards } from './device-payments';
import type { DeviceVisit } from './device-visit';

export interface DeviceTourOrders {
  /** The invoice of the transfer. */
  readonly invoiceId: string;
  /** The id by which the app can use the card again. */
  readonly clientCardId: string;
  readonly serialNumber: string;
  readonly email: string;
}

/** Group B in order: app, merchant server and gateway as separate programs. @throws TourFailed at the first claim that does not hold */
export const deviceTour = async (device: DeviceVisit): Promise<DeviceTourOrders> => {
  device.visit.report.step(
    'A device verifies a card',
    `Three programs from here on: an app, the merchant server at ${device.addresses.merchantUrl}, the gateway. The app takes an invoice there, and acts on it here.`,
  );
  const session = await device.signIn();
  const clientCardId = await verifyCard(device, session);
  await payWithCard(device, session, clientCardId);
  await payByReference(device, session, clientCardId);
  const { invoiceId } = await transferBetweenCards(device, session, clientCardId);
  await forgeAmount(device, session);
  return { invoiceId, clientCardId, serialNumber: device.serialNumber, email: device.email };
};
