import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { DeviceOperation } from '@app/gateway-protocol';
import type { Begun } from '../../devices/merchant-server-client';
import type { HttpAnswer } from '../../http/http-client';
import type { Canary } from './canaries';
import type { CanaryService } from './canary-service';
import type { Body, Phone } from './phone';
import type { Place } from './place';

const BODY_BYTES_TOO_MANY = 300_000;

const place = (
  name: string,
  send: (phone: Phone, canary: Canary, service: CanaryService, called: string) => Promise<HttpAnswer>,
): Place => ({
  name,
  isGivenBack: false,
  put: async (canary, service, called) => void (await service.record(called, send(service.phone, canary, service, called))),
});

const fundsOf = (operation: DeviceOperation, card: Body): Body =>
  operation === 'verification'
    ? { sourceCard: card }
    : { sourceOfFunds: { card }, ...(operation === 'transfer' && { destinationOfFunds: { card: { number: '5555555555554444' } } }) };

const asCard = (
  operation: DeviceOperation,
  what: string,
  securityCode = '123',
  change: (body: Body, begun: Begun) => Body = (body) => body,
): Place =>
  place(`card of an app’s ${operation}, ${what}`, async (phone, { cardNumber, holder }) => {
    const begun = await phone.begin(operation);
    const body = phone.performBody(begun, fundsOf(operation, phone.card(securityCode, cardNumber, holder)));
    return phone.perform(begun, change(body, begun));
  });

const merged = (body: Body, path: string, value: unknown): Body => {
  const [name = '', ...rest] = path.split('.');
  const inner = (body[name] ?? {}) as Body;
  return { ...body, [name]: rest.length === 0 ? value : merged(inner, rest.join('.'), value) };
};

const asMember = (path: string, text: (cardNumber: string) => unknown = (number) => number): Place =>
  place(`${path} of an app’s sale with another card`, async (phone, { cardNumber }) => {
    const begun = await phone.begin('sale');
    return phone.perform(begun, merged(phone.performBody(begun, fundsOf('sale', phone.card())), path, text(cardNumber)));
  });

const asPath = (path: (cardNumber: string) => string): Place =>
  place(`POST ${path('NUMBER')} of an app`, (phone, { cardNumber }) =>
    phone.post(path(cardNumber), { session: { accessToken: phone.accessToken, token: randomUUID() } }),
  );

const asBody = (name: string, body: (cardNumber: string) => string | Buffer, headers: Readonly<Record<string, string>> = {}): Place =>
  place(`body of an app: ${name}`, async (phone, { cardNumber }) =>
    phone.post(`/paynet/dapi/v1/sale/1001/${randomUUID()}`, body(cardNumber), headers),
  );

const session = (phone: Phone, more: Body = {}): Body => ({ accessToken: phone.accessToken, ...more });
const device = (phone: Phone, more: Body = {}): Body => ({ device: { serialNumber: phone.serialNumber, ...more } });

const atServer = (
  name: string,
  path: (cardNumber: string) => string,
  body: (phone: Phone, cardNumber: string) => Body | string,
  headers?: (cardNumber: string) => Record<string, string>,
): Place =>
  place(`merchant server: ${name}`, (phone, { cardNumber }) =>
    phone.tell(path(cardNumber), body(phone, cardNumber), headers?.(cardNumber)),
  );

const initiateBody = (phone: Phone): Body => ({
  consumer: device(phone),
  session: session(phone),
  transaction: { currency: 'USD', amountCentis: 100 },
});
const INITIATE = '/transfer/initiate-sale';

const CARDS: readonly Place[] = [
  asCard('verification', 'approved'),
  asCard('verification', 'declined', '116'),
  asCard('sale', 'approved'),
  asCard('sale', 'unknown at first', '217'),
  asCard('transfer', 'approved'),
  asCard('sale', 'without a valid signature', '123', (body) => merged(body, 'session.signature', 'F'.repeat(40))),
  asCard('sale', 'with a member that is none', '123', (body) => merged(body, 'transaction.currency', 'usd')),
  asCard('sale', 'whose check fails', '123', (body) => merged(body, 'consumer.email', 'other@example.com')),
  asCard('sale', 'without a security code', '123', (body) => {
    const { securityCode: _none, ...card } = (body['sourceOfFunds'] as { card: Body }).card;
    return merged(body, 'sourceOfFunds', { card });
  }),
  asCard('sale', 'an expired card', '123', (body) => merged(body, 'sourceOfFunds.card.expiry.year', 2_020)),
  place('card that an app’s transfer goes to', async (phone, { cardNumber }) => {
    const begun = await phone.begin('transfer');
    const funds = { sourceOfFunds: { card: phone.card() }, destinationOfFunds: { card: { number: cardNumber } } };
    return phone.perform(begun, phone.performBody(begun, funds));
  }),
  place('card of an app’s sale, which it uses again by its name', async (phone, { cardNumber, holder }, service, called) => {
    const first = await phone.begin('sale');
    const body = phone.performBody(first, fundsOf('sale', phone.card('123', cardNumber, holder)));
    const accepted = await service.record(called, phone.perform(first, body));
    const clientCardId = await phone.nameOfCard(first, accepted);
    const begun = await phone.begin('sale');
    return phone.perform(begun, phone.performBody(begun, { sourceOfFunds: { reference: { clientCardId, securityCode: '123' } } }));
  }),
  place('card of an app’s sale that holds it in a text too', async (phone, { cardNumber }) => {
    const begun = await phone.begin('sale');
    const body = phone.performBody(begun, fundsOf('sale', phone.card('123', cardNumber)));
    return phone.perform(begun, { ...body, order: { description: `shoes for ${cardNumber}` } });
  }),
  place('card of an app’s sale that holds it in the invoiceId too', async (phone, { cardNumber }) => {
    const begun = await phone.begin('sale');
    const body = phone.performBody(begun, fundsOf('sale', phone.card('123', cardNumber)));
    return phone.perform({ ...begun, invoiceId: cardNumber }, body);
  }),
];

const MEMBERS: readonly Place[] = [
  ...[
    'order.description',
    'order.siteUrl',
    'order.purpose',
    'billing.address.city',
    'billing.address.street',
    'billing.address.street2',
    'billing.phone',
  ].map((path) => asMember(path)),
  ...[
    'consumer.device.imei',
    'consumer.birthDay',
    'billing.address.postcodeZip',
    'transaction.currency',
    'session.token',
    'sourceOfFunds.card.securityCode',
  ].map((path) => asMember(path)),
  asMember('sourceOfFunds.card.holder', (number) => ({ firstName: number, lastName: number })),
  asMember('sourceOfFunds', (clientCardId) => ({ reference: { clientCardId, securityCode: '123' } })),
  asMember('session.accessToken', (number) => number.padEnd(64, 'x')),
  asMember('session.nonce', (number) => number.padEnd(64, 'x')),
  asMember('consumer.ipAddresses', (number) => [number]),
  asMember('transaction.amountCentis', Number),
  asMember('location', (number) => ({ lat: Number(number), lng: 1 })),
  asMember('pan'),
  asMember('sourceOfFunds.card.pan'),
  place('name of a member of an app’s sale', async (phone, { cardNumber }) => {
    const begun = await phone.begin('sale');
    return phone.perform(begun, { ...phone.performBody(begun, fundsOf('sale', phone.card())), [`pan${cardNumber}`]: 'x' });
  }),
];

const REQUESTS: readonly Place[] = [
  asPath((number) => `/paynet/dapi/v1/sale/${number}/${randomUUID()}`),
  // A status returns the invoice id unchanged, and this request stores no card.
  { ...asPath((number) => `/paynet/dapi/v1/sale/1001/${number}/status`), isGivenBack: true },
  asPath((number) => `/paynet/dapi/v1/transfer/1001/${randomUUID()}/${number}`),
  asPath((number) => `/paynet/dapi/v1/${number}/1001/1`),
  asPath((number) => `/paynet/dapi/v1/sale/1001/1?card=${number}`),
  asBody('no JSON', (number) => `{"sourceOfFunds":{"card":{"number":"${number}"`),
  asBody('a key twice', (number) => `{"pan":"${number}","pan":"${number}"}`),
  asBody('the name of every object', (number) => `{"__proto__":{"pan":"${number}"}}`),
  asBody('an integer', (number) => `{"pan":${number}}`),
  asBody('compressed', (number) => gzipSync(`{"pan":"${number}"}`), { 'content-encoding': 'gzip' }),
  asBody('too long', (number) => `{"pan":"${number}","x":"${'x'.repeat(BODY_BYTES_TOO_MANY)}"}`),
];

const AT_SERVER: readonly Place[] = [
  atServer(
    'serial number of a device',
    () => INITIATE,
    (phone, number) => ({ ...initiateBody(phone), consumer: { device: { serialNumber: number } } }),
  ),
  atServer(
    'IMEI',
    () => INITIATE,
    (phone, number) => ({ ...initiateBody(phone), consumer: device(phone, { imei: number.padEnd(14, '0').slice(0, 16) }) }),
  ),
  atServer(
    'currency',
    () => INITIATE,
    (phone, number) => ({ ...initiateBody(phone), transaction: { currency: number, amountCentis: 100 } }),
  ),
  atServer(
    'a member that is unknown',
    () => INITIATE,
    (phone, number) => ({ ...initiateBody(phone), pan: number, card: { number, securityCode: '123' } }),
  ),
  atServer(
    'BIN of a card',
    () => '/transfer/initiate-transfer',
    (phone, number) => ({ ...initiateBody(phone), fromBin: number, toBin: number }),
  ),
  atServer(
    'access token',
    () => INITIATE,
    (phone, number) => ({ ...initiateBody(phone), session: { accessToken: number.padEnd(32, '0') } }),
  ),
  atServer(
    'header',
    () => INITIATE,
    initiateBody,
    (number) => ({ 'x-card': number, authorization: `Bearer ${number}` }),
  ),
  atServer(
    'no JSON',
    () => INITIATE,
    (_phone, number) => `{"pan":"${number}"`,
  ),
  atServer('another product', (number) => `/${number}${INITIATE}`, initiateBody),
  atServer('query', (number) => `${INITIATE}?card=${number}`, initiateBody),
  atServer(
    'check of an invoice',
    (number) => `/sale/${number}/check`,
    (phone, number) => ({
      consumer: device(phone),
      session: session(phone, { nonce: number.padEnd(64, 'x'), signature: 'F'.repeat(40), token: randomUUID() }),
      sourceOfFunds: { reference: { clientCardId: number }, card: { number, securityCode: '123' } },
    }),
  ),
  atServer(
    'client ids',
    (number) => `/cardrefs/${number}/get-client-ids`,
    (phone) => ({ consumer: device(phone), session: session(phone) }),
  ),
  place('merchant server: e-mail of a token', (phone, { cardNumber }) =>
    phone.server.request(`/auth/request-access-token?email=${cardNumber}%40example.com`),
  ),
];

/** The device interface: every route, member and refusal, at the gateway and at the merchant server (safety, section 5.6). */
export const DEVICE_PLACES: readonly Place[] = [...CARDS, ...MEMBERS, ...REQUESTS, ...AT_SERVER];
