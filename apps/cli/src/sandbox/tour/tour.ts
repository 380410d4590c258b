import { approvedPayment, authenticatedPayment, declinedPayment, merchantCallback, unknownOutcome } from './card-payments';
import { cascade } from './cascade';
import { preauthAndCapture, partialReturn, voidedSale } from './follow-ups';
import { registrationV4 } from './registration-v4';
import { badChecksum, cardDetails, orderStatus, recurrentPayment, registration, repeatedRequest } from './registered-card';
import type { DeviceTourOrders } from './device-tour';
import type { PlacedOrder, TourVisit } from './tour-visit';

/** The orders of the merchant's tour that later steps show. */
export interface TourOrders {
  readonly sale: PlacedOrder;
  readonly secure: PlacedOrder;
  readonly unknown: PlacedOrder;
  readonly rebill: PlacedOrder;
  readonly cascade: PlacedOrder;
  readonly cardRefId: string;
}

/** The orders of the whole tour, by merchant and by device. */
export interface WholeTour extends TourOrders {
  readonly device: DeviceTourOrders;
}

/** Runs the tour in order. @throws TourFailed at the first claim that does not hold */
export const tour = async (visit: TourVisit): Promise<TourOrders> => {
  const sale = await approvedPayment(visit);
  await merchantCallback(visit, sale);
  await declinedPayment(visit);
  const secure = await authenticatedPayment(visit);
  const unknown = await unknownOutcome(visit);
  const cardRefId = await registration(visit, sale);
  await cardDetails(visit, cardRefId);
  const recurrent = await recurrentPayment(visit, cardRefId);
  await repeatedRequest(visit, recurrent);
  await orderStatus(visit, recurrent.order);
  await badChecksum(visit, recurrent.order);
  await preauthAndCapture(visit);
  await partialReturn(visit, sale);
  await voidedSale(visit);
  const cascaded = await cascade(visit);
  await registrationV4(visit, sale, cardRefId);
  return { sale, secure, unknown, rebill: recurrent.order, cascade: cascaded, cardRefId };
};
