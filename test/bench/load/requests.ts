import { createPrivateKey, randomUUID, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { built, ROOT } from '../harness/built';
import { ACME } from '../harness/acme';
import { saleFields } from '../harness/sale';
import { invoiceOf, performSale } from './device-perform';
import { httpPost } from './http-request';

const { encodeForm, orderControl, rebillControl, signedAuthorization } =
  built<typeof import('@app/gateway-protocol')>('libs/gateway-protocol/index.js');
const { Secret, systemClock } = built<typeof import('@app/kernel')>('libs/kernel/index.js');

const { login, endpointId, currency } = ACME;
const key = new Secret<string>(ACME.controlKey);
const AMOUNTS = 997;

export interface NamedOrder {
  readonly clientOrderId: string;
  readonly orderId: string;
}

/** The requests: recurrent payments, sales or a device's sales, each another order, or status requests for known orders, one after the other. */
export type Requests =
  | { readonly kind: 'device-sales' }
  | {
      readonly kind: 'recurrent-payments';
      readonly cardRefId: string;
      readonly prefix: string;
      readonly callbackUrl?: string;
      readonly endpointId?: string;
    }
  | { readonly kind: 'sales'; readonly prefix: string; readonly callbackUrl: string }
  | {
      readonly kind: 'status' | 'create-card-ref';
      /** With a checksum, or signed as a whole (interface, sections 5.1 and 5.2). */
      readonly version: 'v2' | 'v4';
      readonly orders: readonly NamedOrder[];
    };

/** The address that a v4 request is signed for; the key pair is the sandbox's, whose private half protects nothing. */
const PUBLIC_BASE_URL = 'http://127.0.0.1:8080';
export const OAUTH_PUBLIC_KEY_FILE = join(ROOT, 'config/acme.pub.pem');
let privateKey: KeyObject | undefined;

type Fields = readonly (readonly [string, string | undefined])[];

const http = (path: string, fields: Fields, authorization?: string): string =>
  httpPost(path, 'application/x-www-form-urlencoded', encodeForm(fields), authorization);

const pathOf = (version: string, operation: string, at: string = endpointId): string => `/paynet/api/${version}/${operation}/${at}`;

const recurrentPayment = (
  { cardRefId, prefix, callbackUrl, endpointId: at = endpointId }: Extract<Requests, { kind: 'recurrent-payments' }>,
  number: number,
): string => {
  const clientOrderId = `${prefix}-${number}`;
  // The minor part stays above 19: below, the simulator declines or is silent (protocol decisions, section 9).
  const amountMinor = BigInt(1_000 + (number % AMOUNTS)) * 100n + 42n;
  return http(pathOf('v2', 'make-rebill-sale', at), [
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

/** Without a CVV, so that it may wait in the store for as long as it has to; the cents of the amount approve it. */
const sale = ({ prefix, callbackUrl }: Extract<Requests, { kind: 'sales' }>, number: number): string => {
  const { cvv2: _cvv2, ...fields } = saleFields(`${prefix}-${number}`, { endpointId, key }, { server_callback_url: callbackUrl });
  return http(pathOf('v2', 'sale'), Object.entries(fields));
};

const withChecksum = (operation: string, { clientOrderId, orderId }: NamedOrder): string =>
  http(pathOf('v2', operation), [
    ['login', login],
    ['client_orderid', clientOrderId],
    ['orderid', orderId],
    ['control', orderControl({ login, clientOrderId, orderId }, key)],
  ]);

const signed = (operation: string, { clientOrderId, orderId }: NamedOrder): string => {
  privateKey ??= createPrivateKey(readFileSync(join(ROOT, 'config/acme.key.pem')));
  const path = pathOf('v4', operation);
  const parameters = [
    ['client_orderid', clientOrderId],
    ['orderid', orderId],
  ] as const;
  const signer = { consumerKey: login, privateKey, nonce: randomUUID(), now: systemClock.now() };
  return http(path, parameters, signedAuthorization({ method: 'POST', url: PUBLIC_BASE_URL + path, parameters }, signer));
};

/** Whole HTTP requests, made before the clock starts. */
export const requestsFrom = (requests: Requests, from: number, count: number): string[] => {
  if (requests.kind === 'recurrent-payments') return Array.from({ length: count }, (_, index) => recurrentPayment(requests, from + index));
  if (requests.kind === 'device-sales') {
    return Array.from({ length: count }, (_, index) => performSale(from + index, invoiceOf(from + index), 'reference'));
  }
  if (requests.kind === 'sales') return Array.from({ length: count }, (_, index) => sale(requests, from + index));
  const { kind, version, orders } = requests;
  return Array.from({ length: count }, (_, index) => {
    const order = orders[(from + index) % orders.length];
    if (order === undefined) throw new Error('there is no order to ask for');
    return version === 'v2' ? withChecksum(kind, order) : signed(kind, order);
  });
};

/** The beginning of the answer to such a request where it was accepted. */
export const ACCEPTED: Readonly<Record<Requests['kind'], string>> = {
  'recurrent-payments': 'type=async-response',
  sales: 'type=async-response',
  'device-sales': '{"invoiceId":',
  status: 'type=status-response',
  'create-card-ref': 'type=create-card-ref-response',
};
