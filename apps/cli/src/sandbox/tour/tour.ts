import { approvedPayment, authenticatedPayment, declinedPayment, merchantCallback, unknownOutcome } from './card-payments';
import { preauthAndCapture, partialReturn, voidedSale } from './follow-ups';
import { badChecksum, cardDetails, orderStatus, recurrentPayment, registration, repeatedRequest } from './registered-card';
import type { DeviceTourOrders } from './device-tour';
import type { PlacedOrder, TourVisit } from './tour-visit';

/** @param cardRefId the answer of version 2 for the same order */
const registrationV4 = async (visit: TourVisit, { endpoint, clientOrderId, orderId }: PlacedOrder, cardRefId: string): Promise<void> => {
  visit.report.step(
    'Card registration, version 4',
    'Signed with the merchant’s own RSA key, of which the service has the public half alone.',
  );
  const fields = { client_orderid: clientOrderId, orderid: orderId };
  const signed = visit.client.sign({ operation: 'create-card-ref', endpoint, fields, version: 4 });
  const { answer } = await visit.client.sendSigned(signed);
  visit.claim('the same reference as before', answer.get('card_recurring_payment_id') === cardRefId);
  const destination = answer.get('destination_card_recurring_payment_id');
  visit.claim('one besides that can only receive', destination !== undefined && destination !== cardRefId);
  const again = await visit.client.sendSigned(signed);
  visit.claim('the same header again is refused: a nonce is good once', again.httpStatus === 403);
};

/** Any CVV without a meaning of its own: every gate of the simulator declines it with 100 (protocol decisions, section 9). */
const DECLINED_EVERYWHERE = '555';

const cascade = async (visit: TourVisit): Promise<PlacedOrder> => {
  visit.report.step('A cascade', 'Endpoint 1002 has two gates. Where one declines with 100 the next is asked; here both decline.');
  const order = await visit.place(visit.sale('cascade', { endpoint: '1002', cvv2: DECLINED_EVERYWHERE, currency: 'EUR' }));
  const status = await visit.final(order);
  visit.claim('declined with code 100', status.get('status') === 'declined' && status.get('error-code') === '100');
  visit.claim('the second gate had the last word', status.get('original-gate-descriptor') === 'test-b');
  return order;
};

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
