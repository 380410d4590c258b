import { approvedPayment, authenticatedPayment, declinedPayment, merchantCallback, unknownOutcome } from './card-payments';
import { cascade } from './cascade';
import { captured, returned, voided } from './follow-ups';
import { registrationV4 } from './registration-v4';
import { badChecksum, cardDetails, orderStatus, recurrentPayment, registration, repeatedRequest } from './registered-card';
import type { PlacedOrder, TourVisit } from './tour-visit';

export interface Toured {
  readonly sale: PlacedOrder;
  readonly secure: PlacedOrder;
  readonly unknown: PlacedOrder;
  readonly rebill: PlacedOrder;
  readonly cascade: PlacedOrder;
  readonly cardRefId: string;
}

/** Runs the tour in order. @throws TourFailed at the first step that does not come out as told */
export const tour = async (visit: TourVisit): Promise<Toured> => {
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
  await captured(visit);
  await returned(visit, sale);
  await voided(visit);
  const cascaded = await cascade(visit);
  await registrationV4(visit, sale, cardRefId);
  return { sale, secure, unknown, rebill: recurrent.order, cascade: cascaded, cardRefId };
};
