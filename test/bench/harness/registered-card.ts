import { setTimeout as delay } from 'node:timers/promises';
import { performance } from 'node:perf_hooks';
import { built } from './built';
import { ACME, TEST_CARD } from './acme';

const { encodeForm, initialPaymentControl, orderControl, parseFormAnswer } =
  built<typeof import('@app/gateway-protocol')>('libs/gateway-protocol/index.js');
const { Secret } = built<typeof import('@app/kernel')>('libs/kernel/index.js');

const FINAL_TIMEOUT_MS = 20_000;
const FINAL_LOOK_MS = 20;
const { login, endpointId } = ACME;
const key = new Secret<string>(ACME.controlKey);

const post = async (port: number, operation: string, fields: Readonly<Record<string, string>>): Promise<ReadonlyMap<string, string>> => {
  const response = await fetch(`http://127.0.0.1:${port}/paynet/api/v2/${operation}/${endpointId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: encodeForm(Object.entries(fields)),
  });
  return parseFormAnswer(await response.text());
};

const member = (answer: ReadonlyMap<string, string>, name: string): string => {
  const value = answer.get(name);
  if (value === undefined) throw new Error(`the service answered without ${name}: ${answer.get('error-message') ?? 'no reason given'}`);
  return value;
};

/** One initial payment and its registration over HTTP: the reference that recurrent payments name. */
export const registeredCard = async (port: number, clientOrderId: string): Promise<string> => {
  const sale = await post(port, 'sale', {
    client_orderid: clientOrderId,
    order_desc: 'registration',
    amount: '10.42',
    currency: ACME.currency,
    card_printed_name: TEST_CARD.holder,
    credit_card_number: TEST_CARD.number,
    expire_month: TEST_CARD.month,
    expire_year: TEST_CARD.year,
    cvv2: TEST_CARD.cvv2,
    address1: '1 Main Street',
    city: 'Springfield',
    zip_code: '12345',
    country: 'US',
    state: 'CA',
    phone: '+15550100',
    email: 'payer@example.com',
    ipaddress: '192.0.2.1',
    control: initialPaymentControl({ entryPoint: endpointId, clientOrderId, amountMinor: 1042n, email: 'payer@example.com' }, key),
  });
  const orderId = member(sale, 'paynet-order-id');
  const named = { login, client_orderid: clientOrderId, orderid: orderId, control: orderControl({ login, clientOrderId, orderId }, key) };
  const until = performance.now() + FINAL_TIMEOUT_MS;
  while (member(await post(port, 'status', named), 'status') !== 'approved') {
    if (performance.now() > until) throw new Error('the initial payment did not become final');
    await delay(FINAL_LOOK_MS);
  }
  return member(await post(port, 'create-card-ref', named), 'card-ref-id');
};
