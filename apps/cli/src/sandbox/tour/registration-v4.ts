import type { PlacedOrder, TourVisit } from './tour-visit';

/** @param cardRefId the answer of version 2 for the same order */
export const registrationV4 = async (
  visit: TourVisit,
  { endpoint, clientOrderId, orderId }: PlacedOrder,
  cardRefId: string,
): Promise<void> => {
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
