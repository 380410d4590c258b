import { boughtByReference, boughtWithCard, cardVerified, forgedInvoice, movedBetweenCards } from './device-payments';
import type { DeviceVisit } from './device-visit';

export interface DeviceToured {
  /** The invoice of the transfer. */
  readonly invoiceId: string;
  /** The id by which the app can use the card again. */
  readonly clientCardId: string;
  readonly serialNumber: string;
  readonly email: string;
}

/** Group B in order: app, merchant server and gateway as separate programs. @throws TourFailed at the first step that does not come out as told */
export const deviceTour = async (device: DeviceVisit): Promise<DeviceToured> => {
  device.visit.report.step(
    'A device verifies a card',
    `Three programs from here on: an app, the merchant server at ${device.addresses.merchantUrl}, the gateway. The app takes an invoice there, and acts on it here.`,
  );
  const session = await device.signIn();
  const clientCardId = await cardVerified(device, session);
  await boughtWithCard(device, session, clientCardId);
  await boughtByReference(device, session, clientCardId);
  const { invoiceId } = await movedBetweenCards(device, session, clientCardId);
  await forgedInvoice(device, session);
  return { invoiceId, clientCardId, serialNumber: device.serialNumber, email: device.email };
};
