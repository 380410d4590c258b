import type { PlacedOrder, TourVisit, Answer, Request } from './visit';
import type { DeviceTourOrders } from './device-tour';

const PAGE_TIMEOUT_MS = 15_000;

interface PageForm {
  readonly action: string;
  readonly fields: ReadonlyMap<string, string>;
}

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&#96;': '`', '&amp;': '&' };
const unescaped = (text: string): string => text.replace(/&(?:lt|gt|quot|#39|#96|amp);/g, (entity) => ENTITIES[entity] ?? entity);

const FORM = /<form\s[^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/;
const INPUT = /<input\s([^>]*)>/g;
const attribute = (text: string, name: string): string | undefined => new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1];

export const formOf = (html: string): PageForm | undefined => {
  const form = FORM.exec(html);
  if (form === null) return undefined;
  const [, action = '', body = ''] = form;
  const fields = [...body.matchAll(INPUT)].flatMap(([, text = '']): [string, string][] => {
    const name = attribute(text, 'name');
    return name === undefined ? [] : [[unescaped(name), unescaped(attribute(text, 'value') ?? '')]];
  });
  return { action: unescaped(action), fields: new Map(fields) };
};

const openPage = async (url: string): Promise<string> => (await fetch(url, { signal: AbortSignal.timeout(PAGE_TIMEOUT_MS) })).text();

const submitForm = async ({ action, fields }: PageForm): Promise<string> => {
  const body = new URLSearchParams([...fields]);
  return (await fetch(action, { method: 'POST', body, signal: AbortSignal.timeout(PAGE_TIMEOUT_MS) })).text();
};

/** A payer at an upstream gateway passes the pages of both gateways. */
const PAGES_MAX = 8;
/** The password that the simulator's issuer accepts (protocol decisions, section 9). */
const PASSWORD = 'hint';

export const approvedPayment = async (visit: TourVisit): Promise<PlacedOrder> => {
  visit.report.step('Initial payment', 'A sale at endpoint 1001. The simulator goes by the CVV: 123 is approved.');
  const callback = { server_callback_url: `${visit.siteUrl}/callback`, merchant_data: 'basket=7&status=mine' };
  const order = await visit.place(visit.sale('sale', { endpoint: '1001', cvv2: '123', ...callback }));
  const status = await visit.final(order);
  visit.claim('approved', status.get('status') === 'approved');
  visit.claim('the merchant’s own data came back unharmed', status.get('merchantdata') === callback.merchant_data);
  return order;
};

export const merchantCallback = async (visit: TourVisit, order: PlacedOrder): Promise<void> => {
  visit.report.step(
    'Merchant callback',
    'The service sends the outcome to the merchant’s server, and repeats it until the server answers 200.',
  );
  const callback = await visit.callbackOf(order);
  visit.claim('the callback came', callback !== undefined);
  if (callback === undefined) return;
  visit.report.answer(`POST ${visit.siteUrl}/callback`, [['webhook-id', callback.webhookId], ...callback.members]);
  visit.claim('its control is made with the merchant’s key', callback.isAuthentic);
  visit.claim('it says what status said', callback.members.get('status') === 'approved');
};

export const declinedPayment = async (visit: TourVisit): Promise<PlacedOrder> => {
  visit.report.step('A declined payment', 'The CVV 116 is declined for want of funds.');
  const order = await visit.place(visit.sale('declined', { endpoint: '1001', cvv2: '116' }));
  const status = await visit.final(order);
  visit.claim('declined with code 116', status.get('status') === 'declined' && status.get('error-code') === '116');
  return order;
};

export const authenticatedPayment = async (visit: TourVisit): Promise<PlacedOrder> => {
  visit.report.step(
    '3-D Secure',
    `A sale at endpoint 1003, whose gate asks the payer for a password (CVV 321; the password is "${PASSWORD}").`,
  );
  const request = visit.sale('secure', { endpoint: '1003', cvv2: '321', redirect_url: `${visit.siteUrl}/back` });
  const order = await visit.place(request);
  const waiting = await visit.statusWhen(order, (answer) => answer.has('redirect-to'));
  visit.claim('status says where the payer’s browser goes', waiting !== undefined);
  await walkPages(visit, waiting?.get('redirect-to') ?? '');
  const status = await visit.final(order);
  visit.claim(
    'approved, the payer authenticated',
    status.get('verified-3d-status') === 'AUTHENTICATED' && status.get('status') === 'approved',
  );
  return order;
};

interface PayerPages {
  /** The merchant's site. */
  readonly back: string;
  readonly password?: string;
  readonly onForm?: (action: string, fields: ReadonlyMap<string, string>) => void;
}

/** Follows the payer's pages like a browser with scripts. @returns whether they led back to the merchant's site */
export const passPayerPages = async (url: string, { back, password = PASSWORD, onForm }: PayerPages): Promise<boolean> => {
  let page = await openPage(url);
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const form = formOf(page);
    if (form === undefined) return false;
    const fields = form.fields.has('password') ? new Map([...form.fields, ['password', password] as const]) : form.fields;
    onForm?.(form.action, fields);
    page = await submitForm({ ...form, fields });
    if (form.action.startsWith(back)) return true;
  }
  return false;
};

const walkPages = async (visit: TourVisit, url: string): Promise<void> => {
  visit.report.request('GET', url, []);
  const isBack = await passPayerPages(url, {
    back: visit.siteUrl,
    onForm: (action, fields) => visit.report.request('POST', action, fields),
  });
  visit.claim('the browser came back to the merchant', isBack);
};

const unknownOutcome = async (visit: TourVisit): Promise<PlacedOrder> => {
  visit.report.step('An unknown outcome', 'With the CVV 217 the acquirer falls silent after it took the money. Unknown is not failed.');
  const order = await visit.place(visit.sale('unknown', { endpoint: '1001', cvv2: '217' }));
  const first = await visit.statusWhen(order, (answer) => answer.get('order-stage') === 'sale_unknown');
  visit.claim('its stage is sale_unknown, its status still processing', first?.get('status') === 'processing');
  const status = await visit.final(order);
  visit.claim('an inquiry found it approved', status.get('status') === 'approved');
  return order;
};

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

const cardDetails = async (visit: TourVisit, cardRefId: string): Promise<void> => {
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

const repeatedRequest = async (visit: TourVisit, { order, ...request }: Request & { readonly order: PlacedOrder }): Promise<void> => {
  visit.report.step('The same request again', 'A lost answer is no reason to fear: twice is once.');
  const answer = await visit.client.send(request);
  visit.claim('the same order', answer.get('paynet-order-id') === order.orderId);
  visit.claim('a serial-number of its own', answer.has('serial-number'));
};

const orderStatus = async (visit: TourVisit, order: PlacedOrder): Promise<void> => {
  visit.report.step('Order status', 'What the log says at this moment.');
  const status = await visit.final(order);
  visit.claim('approved, for the amount asked', status.get('status') === 'approved' && status.get('amount') === '5.50');
};

const badChecksum = async (visit: TourVisit, order: PlacedOrder): Promise<void> => {
  visit.report.step('A wrong checksum', 'The same question, signed with another key.');
  const answer = await visit.client.send(visit.statusOf(order), { control: '0'.repeat(40) });
  visit.claim('refused without a status', answer.get('error-message') === 'INVALID_CONTROL_CODE' && !answer.has('status'));
};

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

/** A CVV without a special meaning: every gate of the simulator declines it with 100 (protocol decisions, section 9). */
const DECLINED_EVERYWHERE = '555';

const cascade = async (visit: TourVisit): Promise<PlacedOrder> => {
  visit.report.step('A cascade', 'Endpoint 1002 has two gates. Where one declines with 100 the next is asked; here both decline.');
  const order = await visit.place(visit.sale('cascade', { endpoint: '1002', cvv2: DECLINED_EVERYWHERE, currency: 'EUR' }));
  const status = await visit.final(order);
  visit.claim('declined with code 100', status.get('status') === 'declined' && status.get('error-code') === '100');
  visit.claim('the second gate had the last word', status.get('original-gate-descriptor') === 'test-b');
  return order;
};

interface TourOrders {
  readonly sale: PlacedOrder;
  readonly secure: PlacedOrder;
  readonly unknown: PlacedOrder;
  readonly rebill: PlacedOrder;
  readonly cascade: PlacedOrder;
  readonly cardRefId: string;
}

export interface WholeTour extends TourOrders {
  readonly device: DeviceTourOrders;
}

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
