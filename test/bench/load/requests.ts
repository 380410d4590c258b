import { built } from '../harness/built';
import { ACME } from '../harness/acme';
import { httpPost } from './http-request';

const { encodeForm, orderControl, rebillControl } = built<typeof import('@app/gateway-protocol')>('libs/gateway-protocol/index.js');
const { Secret } = built<typeof import('@app/kernel')>('libs/kernel/index.js');

const { login, endpointId, currency } = ACME;
const key = new Secret<string>(ACME.controlKey);
const AMOUNTS = 997;

interface NamedOrder {
  readonly clientOrderId: string;
  readonly orderId: string;
}

export type Requests =
  | {
      readonly kind: 'recurrent-payments';
      readonly cardRefId: string;
      readonly prefix: string;
      readonly callbackUrl?: string;
      readonly endpointId?: string;
    }
  | { readonly kind: 'status'; readonly orders: readonly NamedOrder[] };

const http = (operation: string, at: string, fields: readonly (readonly [string, string | undefined])[]): string =>
  httpPost(`/paynet/api/v2/${operation}/${at}`, 'application/x-www-form-urlencoded', encodeForm(fields));

const recurrentPayment = (
  { cardRefId, prefix, callbackUrl, endpointId: at = endpointId }: Extract<Requests, { kind: 'recurrent-payments' }>,
  number: number,
): string => {
  const clientOrderId = `${prefix}-${number}`;
  // A minor part of 19 or less makes the simulator decline or stay silent (protocol decisions, section 9).
  const amountMinor = BigInt(1_000 + (number % AMOUNTS)) * 100n + 42n;
  return http('make-rebill-sale', at, [
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
    ['control', rebillControl({ entryPoint: at, login, clientOrderId, cardRefId, amountMinor, currency }, key)],
  ]);
};

const status = ({ clientOrderId, orderId }: NamedOrder): string =>
  http('status', endpointId, [
    ['login', login],
    ['client_orderid', clientOrderId],
    ['orderid', orderId],
    ['control', orderControl({ login, clientOrderId, orderId }, key)],
  ]);

export const requestsFrom = (requests: Requests, from: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => {
    if (requests.kind === 'recurrent-payments') return recurrentPayment(requests, from + index);
    const order = requests.orders[(from + index) % requests.orders.length];
    if (order === undefined) throw new Error('there is no order to ask for');
    return status(order);
  });

export const ACCEPTED: Readonly<Record<Requests['kind'], string>> = {
  'recurrent-payments': 'type=async-response',
  status: 'type=status-response',
};
