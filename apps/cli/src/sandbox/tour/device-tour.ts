import { arrive, payByReference, payWithCard, verifyCard, forgeAmount, transferBetweenCards } from './device-payments';
import { sourceNameOf, type DeviceVisit } from './device-visit';

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
  const session = await arrive(device);
  const clientCardId = sourceNameOf(await verifyCard(device, session));
  await payWithCard(device, session, clientCardId);
  await payByReference(device, session, clientCardId);
  const { invoiceId } = await transferBetweenCards(device, session, { reference: { clientCardId } });
  await forgeAmount(device, session);
  return { invoiceId, clientCardId, serialNumber: device.serialNumber, email: device.email };
};
