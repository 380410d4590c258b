import type { Request } from './merchant-client';
import type { PlacedOrder, TourVisit } from './tour-visit';

export const registration = async (visit: TourVisit, { endpoint, clientOrderId, orderId }: PlacedOrder): Promise<string> => {
  visit.report.step('Card registration', 'The approved payment proved the card: the merchant keeps a reference instead of it.');
  const answer = await visit.client.send({
    operation: 'create-card-ref',
    endpoint,
    fields: { login: visit.login, client_orderid: clientOrderId, orderid: orderId },
  });
  visit.claim('a card reference', answer.has('card-ref-id'));
  return answer.get('card-ref-id') ?? '';
};

export const cardDetails = async (visit: TourVisit, cardRefId: string): Promise<void> => {
  visit.report.step('Card details', 'What may be shown of a card.');
  const answer = await visit.client.send({
    operation: 'get-card-info',
    endpoint: '1001',
    fields: { login: visit.login, cardrefid: cardRefId },
  });
  visit.claim('its last four digits', answer.get('last-four-digits') === '1111');
};

export const recurrentPayment = async (visit: TourVisit, cardRefId: string): Promise<Request & { readonly order: PlacedOrder }> => {
  visit.report.step('Recurrent payment', 'The registered card is charged by its reference; the payer is not there, and no CVV is.');
  const request: Request = {
    operation: 'make-rebill-sale',
    endpoint: '1001',
    fields: {
      client_orderid: visit.clientOrderId('rebill'),
      login: visit.login,
      cardrefid: cardRefId,
      order_desc: 'The same again',
      amount: '5.5',
      currency: 'USD',
      ipaddress: '192.0.2.10',
      server_callback_url: `${visit.siteUrl}/callback`,
    },
  };
  return { ...request, order: await visit.place(request) };
};

export const repeatedRequest = async (
  visit: TourVisit,
  { order, ...request }: Request & { readonly order: PlacedOrder },
): Promise<void> => {
  visit.report.step('The same request again', 'A lost answer is no reason to fear: twice is once.');
  const answer = await visit.client.send(request);
  visit.claim('the same order', answer.get('paynet-order-id') === order.orderId);
  visit.claim('a serial-number of its own', answer.has('serial-number'));
};

export const orderStatus = async (visit: TourVisit, order: PlacedOrder): Promise<void> => {
  visit.report.step('Order status', 'What the log says at this moment.');
  const status = await visit.final(order);
  visit.claim('approved, for the amount asked', status.get('status') === 'approved' && status.get('amount') === '5.50');
};

export const badChecksum = async (visit: TourVisit, order: PlacedOrder): Promise<void> => {
  visit.report.step('A wrong checksum', 'The same question, signed with another key.');
  const answer = await visit.client.send(visit.statusOf(order), { control: '0'.repeat(40) });
  visit.claim('refused, and nothing told', answer.get('error-message') === 'INVALID_CONTROL_CODE' && !answer.has('status'));
};
