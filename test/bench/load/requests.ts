import { built } from '../harness/built';
import { ACME } from '../harness/acme';

const { encodeForm, orderControl, rebillControl } = built<typeof import('@app/gateway-protocol')>('libs/gateway-protocol/index.js');
const { Secret } = built<typeof import('@app/kernel')>('libs/kernel/index.js');

const { login, endpointId, currency } = ACME;
const key = new Secret<string>(ACME.controlKey);
const AMOUNTS = 997;

/** What is sent: recurrent payments, each another order, or status of known orders, one after the other. */
export type Requests =
  | { readonly kind: 'recurrent-payments'; readonly cardRefId: string; readonly prefix: string; readonly callbackUrl?: string }
  | { readonly kind: 'statuses'; readonly orders: readonly { readonly clientOrderId: string; readonly orderId: string }[] };

const http = (operation: string, fields: Iterable<readonly [string, string | undefined]>): string => {
  const body = encodeForm(fields);
  return (
    `POST /paynet/api/v2/${operation}/${endpointId} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: keep-alive\r\n` +
    `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
};

const recurrentPayment = (
  { cardRefId, prefix, callbackUrl }: Extract<Requests, { kind: 'recurrent-payments' }>,
  number: number,
): string => {
  const clientOrderId = `${prefix}-${number}`;
  // The minor part stays above 19: below, the simulator declines or is silent (protocol decisions, section 9).
  const amountMinor = BigInt(1_000 + (number % AMOUNTS)) * 100n + 42n;
  return http('make-rebill-sale', [
    ['client_orderid', clientOrderId],
    ['login', login],
    ['cardrefid', cardRefId],
    ['order_desc', 'Subscription, monthly'],
    ['amount', `${amountMinor / 100n}.42`],
    ['currency', currency],
    ['ipaddress', '192.0.2.1'],
    ['comment', 'renewal'],
    ['purpose', 'subscription'],
    ['merchant_data', `contract=${number}&plan=monthly`],
    ['server_callback_url', callbackUrl],
    ['recurrent_scenario', 'REGULAR'],
    ['recurrent_initiator', 'MERCHANT'],
    ['control', rebillControl({ entryPoint: endpointId, login, clientOrderId, cardRefId, amountMinor, currency }, key)],
  ]);
};

const status = ({ clientOrderId, orderId }: { readonly clientOrderId: string; readonly orderId: string }): string =>
  http('status', [
    ['login', login],
    ['client_orderid', clientOrderId],
    ['orderid', orderId],
    ['control', orderControl({ login, clientOrderId, orderId }, key)],
  ]);

/** Whole HTTP requests, made before the clock starts. */
export const requestsFrom = (requests: Requests, from: number, count: number): string[] => {
  if (requests.kind === 'recurrent-payments') return Array.from({ length: count }, (_, index) => recurrentPayment(requests, from + index));
  const { orders } = requests;
  return Array.from({ length: count }, (_, index) => {
    const order = orders[(from + index) % orders.length];
    if (order === undefined) throw new Error('there is no order to ask for');
    return status(order);
  });
};

/** How the answer to such a request begins where it was accepted. */
export const ACCEPTED: Readonly<Record<Requests['kind'], string>> = {
  'recurrent-payments': 'type=async-response',
  statuses: 'type=status-response',
};
