import type { Answer } from './merchant-client';
import type { PlacedOrder, TourVisit } from './tour-visit';

type FollowUp = 'capture' | 'return' | 'void';

const request = (visit: TourVisit, operation: FollowUp, order: PlacedOrder, amount: string | undefined): Promise<Answer> => {
  const { endpoint, clientOrderId, orderId } = order;
  const part: Readonly<Record<string, string>> = amount === undefined ? {} : { amount, currency: 'USD' };
  return visit.client.send({
    operation,
    endpoint,
    fields: { login: visit.login, client_orderid: clientOrderId, orderid: orderId, ...part },
  });
};

/** Shows the request and its outcome, which status answers by the serial of the request. */
const followUp = async (visit: TourVisit, operation: FollowUp, order: PlacedOrder, amount?: string): Promise<Answer> => {
  const answer = await request(visit, operation, order, amount);
  visit.claim('it is taken in, like a payment', answer.get('type') === 'async-response');
  return visit.final(order, answer.get('serial-number'));
};

const isApproved = (answer: Answer, transactionType: string): boolean =>
  answer.get('status') === 'approved' && answer.get('transaction-type') === transactionType;

export const preauthAndCapture = async (visit: TourVisit): Promise<PlacedOrder> => {
  visit.report.step('Preauth and capture', 'The amount is held first; a part of it is taken later.');
  const order = await visit.place({ ...visit.sale('hold', { endpoint: '1001', cvv2: '123' }), operation: 'preauth' });
  visit.claim('held', (await visit.final(order)).get('order-stage') === 'auth_approved');
  visit.claim('a part of it taken', isApproved(await followUp(visit, 'capture', order, '8.00'), 'capture'));
  return order;
};

export const partialReturn = async (visit: TourVisit, sale: PlacedOrder): Promise<PlacedOrder> => {
  visit.report.step('Return', 'A part of the first payment goes back to the payer; more than is left does not.');
  visit.claim('returned', isApproved(await followUp(visit, 'return', sale, '2.50'), 'reversal'));
  visit.claim('the order itself stays approved', isApproved(await visit.final(sale), 'reversal'));
  visit.claim('more than is left is refused with code 9', (await request(visit, 'return', sale, '10.42')).get('error-code') === '9');
  return sale;
};

export const voidedSale = async (visit: TourVisit): Promise<PlacedOrder> => {
  visit.report.step('Void', 'A sale of today is undone before the acquirer has booked it.');
  const order = await visit.place(visit.sale('undone', { endpoint: '1001', cvv2: '123' }));
  await visit.final(order);
  visit.claim('undone', isApproved(await followUp(visit, 'void', order), 'void'));
  return order;
};
