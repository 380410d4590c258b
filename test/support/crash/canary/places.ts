import { gzipSync } from 'node:zlib';
import { encodeForm } from '@app/gateway-protocol';
import type { Fields } from '../../merchants/signed-requests';
import type { CanaryService } from './canary-service';
import { DEVICE_PLACES } from './device-places';
import type { Place } from './place';

const FORM = 'application/x-www-form-urlencoded';
const SALE = '/paynet/api/v2/sale/1001';
const BODY_BYTES_TOO_MANY = 1_100_000;
const HEADER_REPEATS = 600;
const PARAMETERS_TOO_MANY = 1_001;

const place = (name: string, put: Place['put'], isGivenBack = false): Place => ({ name, put, isGivenBack });

const asCard = (name: string, fields: (service: CanaryService) => Fields, at?: string): Place =>
  place(`card of a ${name}`, async ({ cardNumber, holder }, service, called) => {
    const callback = service.receiver.url(`/${called.replace(/\W+/g, '-')}`);
    const card = { credit_card_number: cardNumber, card_printed_name: holder, server_callback_url: callback };
    await service.sale(called, { ...card, ...fields(service) }, at);
  });

const asText = (field: string, text: (cardNumber: string) => string, isGivenBack = false): Place =>
  place(
    `${field} of a sale with another card`,
    async ({ cardNumber }, service, called) => {
      await service.sale(called, {
        [field]: text(cardNumber),
        server_callback_url: service.receiver.url('/texts'),
        ...asUrl(field, service, cardNumber),
      });
    },
    isGivenBack,
  );

const asUrl = (field: string, { receiver }: CanaryService, cardNumber: string): Fields =>
  field.endsWith('_url') && field !== 'site_url' ? { [field]: `${receiver.url('/given')}?card=${cardNumber}` } : {};

const asRebillText = (field: string, text: (cardNumber: string) => string, isGivenBack = false): Place =>
  place(
    `${field} of a recurrent payment`,
    async ({ cardNumber }, service, called) => {
      await service.record(called, service.merchant.rebill(service.cardRefId, { [field]: text(cardNumber) }));
    },
    isGivenBack,
  );

const asSaleValue = (field: string): Place =>
  place(`instead of ${field} of a sale`, async ({ cardNumber }, service, called) => {
    await service.sale(called, { [field]: cardNumber });
  });

const asHeader = (header: string, text: (cardNumber: string) => string): Place =>
  place(`header ${header}`, async ({ cardNumber }, service, called) => {
    await service.send(called, SALE, { method: 'POST', headers: { 'content-type': FORM, [header]: text(cardNumber) }, body: 'a=b' });
  });

const asBody = (name: string, body: (cardNumber: string) => string | Buffer, headers: Readonly<Record<string, string>> = {}): Place =>
  place(`body: ${name}`, async ({ cardNumber }, service, called) => {
    await service.send(called, SALE, { method: 'POST', headers: { 'content-type': FORM, ...headers }, body: body(cardNumber) });
  });

const asPath = (path: (cardNumber: string) => string, method = 'POST'): Place =>
  place(`${method} ${path('NUMBER')}`, async ({ cardNumber }, service, called) => {
    await service.send(called, path(cardNumber), {
      method,
      ...(method === 'GET' ? {} : { headers: { 'content-type': FORM }, body: 'a=b' }),
    });
  });

const asOperatorPath = (path: (cardNumber: string) => string): Place =>
  place(`operator GET ${path('NUMBER')}`, async ({ cardNumber }, service, called) => {
    await service.record(called, service.service.operatorRequest(path(cardNumber)));
  });

const asRaw = (name: string, bytes: (cardNumber: string) => string, ending?: 'break'): Place =>
  place(`raw: ${name}`, ({ cardNumber }, service, called) => service.sendRaw(called, bytes(cardNumber), ending));

const plain = (cardNumber: string): string => cardNumber;

const CARDS: readonly Place[] = [
  asCard('sale, approved', () => ({ cvv2: '123' })),
  asCard('sale, declined', () => ({ cvv2: '116' })),
  asCard('sale, unknown at first', () => ({ cvv2: '217' })),
  asCard('sale without CVV', () => ({ cvv2: undefined, amount: '10.40' })),
  asCard('sale by group', () => ({ currency: 'EUR' }), 'group/2001'),
  asCard('sale without a valid signature', () => ({ control: '0'.repeat(40) })),
  asCard('sale at an endpoint that is not known', () => ({}), '7777'),
  asCard('sale with a missing field', () => ({ city: undefined })),
  asCard('sale in a currency that is not served', () => ({ currency: 'GBP' })),
  asCard('sale above the limit', () => ({ amount: '99999999' }), '1009'),
  asCard('sale with an expired card', () => ({ expire_year: '2020' })),
  asCard('sale to an address that is not called', () => ({ notify_url: 'http://10.0.0.1/' })),
  asCard('sale under a client_orderid that is taken', ({ order }) => ({ client_orderid: order.clientOrderId })),
  place('card of a sale that holds it in a text too', async ({ cardNumber }, service, called) => {
    await service.sale(called, { credit_card_number: cardNumber, order_desc: `shoes for ${cardNumber}` });
  }),
  place('card of a sale that holds it in client_orderid too', async ({ cardNumber }, service, called) => {
    await service.sale(called, { credit_card_number: cardNumber, client_orderid: `inv ${cardNumber}` });
  }),
  place('card of a sale without a valid signature, in client_orderid too', async ({ cardNumber }, service, called) => {
    await service.sale(called, { credit_card_number: cardNumber, client_orderid: cardNumber, control: '0'.repeat(40) });
  }),
  place('card of a sale, in groups', async ({ cardNumber }, service, called) => {
    await service.sale(called, { credit_card_number: cardNumber.replace(/.{4}/g, '$& ') });
  }),
  place('card given twice', async ({ cardNumber }, service, called) => {
    const fields = Object.entries(service.merchant.signedSale(service.merchant.saleFields({ credit_card_number: cardNumber })));
    await service.record(called, service.merchant.postBody('sale/1001', encodeForm([...fields, ['credit_card_number', cardNumber]])));
  }),
  place('card that is registered, shown and charged again', async ({ cardNumber, holder }, service, called) => {
    const { merchant } = service;
    const cardRefId = await merchant.registeredCard({ credit_card_number: cardNumber, card_printed_name: holder });
    await service.record(called, merchant.cardInfo(cardRefId));
    await service.record(called, merchant.rebill(cardRefId));
  }),
  place('card of a sale with 3-D Secure, the payer fails', async ({ cardNumber, holder }, service, called) => {
    const { merchant, payer } = service;
    const card = { credit_card_number: cardNumber, card_printed_name: holder, cvv2: '321' };
    const order = await merchant.accepted(service.record(called, merchant.sale(card, { at: '1003' })));
    const { 'redirect-to': way } = await merchant.statusWhen(
      order,
      (fields) => fields['redirect-to'] !== undefined,
      'the way of the payer',
    );
    await service.record(called, payer.authenticate(way ?? '', cardNumber));
    await service.record(called, merchant.status(order));
  }),
];

const TEXTS: readonly Place[] = [
  asText('order_desc', (cardNumber) => `refund of ${cardNumber}, please`),
  asText('purpose', plain),
  asText('merchant_data', (cardNumber) => `{"card":"${cardNumber}"}`, true),
  asText('first_name', plain),
  asText('last_name', plain),
  asText('card_printed_name', plain, true),
  asText('address1', plain),
  asText('city', plain),
  asText('phone', (cardNumber) => cardNumber.slice(0, 15), true),
  asText('cell_phone', (cardNumber) => cardNumber.slice(0, 15)),
  asText('email', (cardNumber) => `${cardNumber}@example.com`, true),
  asText('site_url', (cardNumber) => `https://shop.example/${cardNumber}`),
  asText('redirect_url', plain),
  asText('redirect_fail_url', plain),
  asText('server_callback_url', plain, true),
  asText('notify_url', plain, true),
  asRebillText('comment', plain),
  asRebillText('purpose', plain),
  asRebillText('order_desc', plain),
  asRebillText('merchant_data', plain, true),
  asRebillText('enumerate_amounts', plain),
  asRebillText('recurrent_scenario', plain),
];

const VALUES: readonly Place[] = [
  ...[
    'cvv2',
    'amount',
    'currency',
    'country',
    'state',
    'zip_code',
    'expire_month',
    'expire_year',
    'ipaddress',
    'birthday',
    'control',
    'ssn',
  ].map(asSaleValue),
  place('a parameter that is unknown', async ({ cardNumber }, service, called) => {
    await service.sale(called, { pan: cardNumber });
  }),
  place('the name of a parameter', async ({ cardNumber }, service, called) => {
    await service.sale(called, { [`pan${cardNumber}`]: 'x' });
  }),
  place('login of a status request', async ({ cardNumber }, service, called) => {
    await service.record(called, service.merchant.status(service.order, { login: cardNumber }));
  }),
  place('orderid of a status request', async ({ cardNumber }, service, called) => {
    await service.record(called, service.merchant.status(service.order, { orderid: cardNumber }));
  }),
  place('by-request-sn', async ({ cardNumber }, service, called) => {
    await service.record(called, service.merchant.status(service.order, { 'by-request-sn': cardNumber }));
  }),
  place('orderid of a registration', async ({ cardNumber }, service, called) => {
    await service.record(called, service.merchant.createCardRef(service.order, { orderid: cardNumber }));
  }),
  place('cardrefid of a recurrent payment', async ({ cardNumber }, service, called) => {
    await service.record(called, service.merchant.rebill(cardNumber));
  }),
  place('cardrefid of card details', async ({ cardNumber }, service, called) => {
    await service.record(called, service.merchant.cardInfo(cardNumber));
  }),
];

const REQUESTS: readonly Place[] = [
  asPath((number) => `/paynet/api/v2/sale/${number}`),
  asPath((number) => `/paynet/api/v2/status/group/${number}`),
  asPath((number) => `/paynet/api/v2/make-rebill-sale/${number}`),
  asPath((number) => `/paynet/api/v2/${number}/1001`),
  asPath((number) => `/${number}`, 'GET'),
  asPath((number) => `${SALE}?credit_card_number=${number}`),
  asPath((number) => `${SALE}?credit_card_number=${number}`, 'GET'),
  asPath((number) => `${SALE}?credit_card_number=${number}`, 'DELETE'),
  asPath((number) => `/health/ready?card=${number}`, 'GET'),
  asPath((number) => `/paynet/payer/payment-${'a'.repeat(52)}/${number}`, 'GET'),
  asPath((number) => `/paynet/payer/${number}/${number}/return`),
  asPath((number) => `/paynet/simulator/authentication/sim-3ds/${number}`, 'GET'),
  asPath((number) => `/paynet/simulator/authentication/${number}/x`),
  asOperatorPath((number) => `/metrics?card=${number}`),
  asOperatorPath((number) => `/health/${number}`),
  asOperatorPath((number) => `/${number}`),
  ...['user-agent', 'referer', 'cookie', 'x-card', 'x-forwarded-for', 'accept', 'idempotency-key', 'origin', 'x-request-id'].map((name) =>
    asHeader(name, plain),
  ),
  asHeader('authorization', (cardNumber) => `Bearer ${cardNumber}`),
  asHeader('content-type', (cardNumber) => `${FORM}; boundary=${cardNumber}`),
  asHeader('content-encoding', plain),
  asBody('percent-encoding that is none', (cardNumber) => `credit_card_number=${cardNumber}%zz`),
  asBody('NUL', (cardNumber) => `credit_card_number=${cardNumber}%00`),
  asBody('no UTF-8', (cardNumber) => Buffer.from(`credit_card_number=${cardNumber}\xff`, 'latin1')),
  asBody('JSON under the type of a form', (cardNumber) => JSON.stringify({ credit_card_number: cardNumber })),
  asBody('JSON', (cardNumber) => JSON.stringify({ credit_card_number: cardNumber, cvv2: '123' }), { 'content-type': 'application/json' }),
  asBody('XML', (cardNumber) => `<card>${cardNumber}</card>`, { 'content-type': 'text/xml' }),
  asBody('compressed', (cardNumber) => gzipSync(`credit_card_number=${cardNumber}`), { 'content-encoding': 'gzip' }),
  asBody('too long', (cardNumber) => `a=${'x'.repeat(BODY_BYTES_TOO_MANY)}&credit_card_number=${cardNumber}`),
  asBody('too many parameters', (cardNumber) =>
    Array.from({ length: PARAMETERS_TOO_MANY }, (_, index) => `p${index}=${cardNumber}`).join('&'),
  ),
  asBody('no form at all', plain),
  asRaw('no HTTP', (cardNumber) => `${cardNumber}\r\n\r\n`),
  asRaw('a request line that is none', (cardNumber) => `POST ${cardNumber} ${cardNumber}\r\nHost: x\r\n\r\n`),
  asRaw('headers without end', (cardNumber) => `POST ${SALE} HTTP/1.1\r\nHost: x\r\nX-Card: ${cardNumber.repeat(HEADER_REPEATS)}\r\n\r\n`),
  asRaw(
    'two lengths',
    (cardNumber) => `POST ${SALE} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\nX-Card: ${cardNumber}\r\n\r\n`,
  ),
  asRaw(
    'a body that breaks off',
    (cardNumber) =>
      `POST ${SALE} HTTP/1.1\r\nHost: x\r\nContent-Type: ${FORM}\r\nContent-Length: 500\r\n\r\ncredit_card_number=${cardNumber}`,
    'break',
  ),
];

/**
 * Every route, refusal and place outside the schema (safety, section 5.6). Identifiers chosen by merchants are exempt (protocol decisions,
 * section 4).
 */
export const PLACES: readonly Place[] = [...CARDS, ...TEXTS, ...VALUES, ...REQUESTS, ...DEVICE_PLACES];
