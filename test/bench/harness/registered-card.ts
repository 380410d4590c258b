import { setTimeout as delay } from 'node:timers/promises';
import { performance } from 'node:perf_hooks';
import { ACME, TEST_CARD } from './acme';
import { built } from './built';

const { encodeForm, initialPaymentControl, orderControl, parseFormAnswer } =
  built<typeof import('@app/gateway-protocol')>('libs/gateway-protocol/index.js');
const { Secret } = built<typeof import('@app/kernel')>('libs/kernel/index.js');

const FINAL_TIMEOUT_MS = 20_000;
const FINAL_LOOK_MS = 20;
const AMOUNT_MINOR = 1_042n;
const { login, endpointId } = ACME;
const key = new Secret<string>(ACME.controlKey);
const clientOrderId = 'registration';
const email = 'payer@example.com';

const SALE = {
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
  email,
  ipaddress: '192.0.2.1',
  control: initialPaymentControl({ entryPoint: endpointId, clientOrderId, amountMinor: AMOUNT_MINOR, email }, key),
};

const ask = async (port: number, operation: string, fields: Readonly<Record<string, string>>, member: string): Promise<string> => {
  const response = await fetch(`http://127.0.0.1:${port}/paynet/api/v2/${operation}/${endpointId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: encodeForm(Object.entries(fields)),
  });
  const answer = parseFormAnswer(await response.text());
  const value = answer.get(member);
  if (value === undefined) throw new Error(`the service answered without ${member}: ${answer.get('error-message') ?? 'no reason given'}`);
  return value;
};

export const registeredCard = async (port: number): Promise<string> => {
  const orderId = await ask(port, 'sale', SALE, 'paynet-order-id');
  const order = { login, client_orderid: clientOrderId, orderid: orderId, control: orderControl({ login, clientOrderId, orderId }, key) };
  const until = performance.now() + FINAL_TIMEOUT_MS;
  while ((await ask(port, 'status', order, 'status')) !== 'approved') {
    if (performance.now() > until) throw new Error('the initial payment did not become final');
    await delay(FINAL_LOOK_MS);
  }
  return ask(port, 'create-card-ref', order, 'card-ref-id');
};
