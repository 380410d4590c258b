import { inspect } from 'node:util';
import { Secret } from '@app/kernel';
import { DeviceClient } from './device-client';
import type { SaleOrder, TransferOrder, VerificationOrder } from './device-order';
import * as parties from './testing';
import {
  bodyOf,
  card,
  closeLater,
  closeWorlds,
  EMAIL,
  NUMBER,
  OTHER_NUMBER,
  sale,
  SERIAL,
  transfer,
  valueOf,
  verification,
  type World,
  world,
} from './testing/world/device-world';

afterEach(closeWorlds);

describe('the access token (protocol decisions, section 8)', () => {
  it('is requested with the e-mail address and sent with every later request [W413]', async () => {
    const { client, both } = await world();
    const session = valueOf(await client.signIn({ email: 'jane+1@example.com' }));
    expect(both.merchant.received[0]?.query.get('email')).toBe('jane+1@example.com');
    await session.initiate(verification);
    expect(bodyOf(both.merchant.received[1])).toMatchObject({ session: { accessToken: parties.ACCESS_TOKEN } });
  });

  it('can be requested without an e-mail address', async () => {
    const { client, both } = await world();
    expect((await client.signIn()).kind).toBe('answered');
    expect([...(both.merchant.received[0]?.query ?? [])]).toStrictEqual([]);
  });

  it('is requested below the path of a product [W438]', async () => {
    const { both } = await world();
    const client = new DeviceClient({
      gatewayUrl: both.gateway.url,
      merchantUrl: `${both.merchant.url}/acme/`,
      device: { serialNumber: SERIAL },
    });
    closeLater(client);
    await client.signIn();
    expect(both.merchant.received[0]?.path).toBe('/acme/auth/request-access-token');
  });

  it('is rejected as malformed if it is too short', async () => {
    const { client } = await world({ merchant: () => ({ json: { session: { accessToken: 'short' } } }) });
    expect(await client.signIn()).toStrictEqual({
      kind: 'malformed',
      httpStatus: 200,
      fault: 'session.accessToken must be 32 to 128 characters',
    });
  });
});

describe('initiate (interface, section 4.4)', () => {
  const common = { consumer: { device: { serialNumber: SERIAL } }, session: { accessToken: parties.ACCESS_TOKEN } };

  it.each([
    [verification, '/verification/initiate-verification', { ...common, transaction: { currency: 'USD' } }],
    [sale, '/transfer/initiate-sale', { ...common, transaction: { currency: 'USD', amountCentis: 1_042 } }],
    [
      transfer,
      '/transfer/initiate-transfer',
      { ...common, transaction: { currency: 'USD', amountCentis: 1_042 }, fromBin: '444433', toBin: '555544' },
    ],
  ] as const)('%# sends the documented members and no card [W76, W79, W82, W85, W87-90]', async (order, path, body) => {
    const { session, both } = await world();
    const invoice = valueOf(await session.initiate(order));
    expect(both.merchant.received.map((call) => [call.method, call.path, bodyOf(call)])).toStrictEqual([['POST', path, body]]);
    expect(invoice).toMatchObject({ operation: order.operation, endpointId: '4711', nonce: parties.NONCE, signature: parties.SIGNATURE });
  });

  it('for a transfer returns the minimum and maximum commission [W91]', async () => {
    const { session } = await world();
    expect(valueOf(await session.initiate(transfer)).rates).toEqual({ min: '2.00', max: '2.50' });
  });

  it('is not repeated after a lost connection, because a repeat would open another invoice', async () => {
    const { session, both } = await world({ merchant: ({ count }) => (count === 1 ? 'cut' : undefined) });
    expect(await session.initiate(sale)).toMatchObject({ kind: 'no-answer', reason: 'connection-lost' });
    expect(both.merchant.received).toHaveLength(1);
  });
});

describe('perform (interface, section 4.5)', () => {
  const performed = async ({ session, clock }: World, order: VerificationOrder | SaleOrder | TransferOrder) => {
    const invoice = valueOf(await session.initiate(order));
    return clock.until(session.perform(order, invoice));
  };
  const session = { accessToken: parties.ACCESS_TOKEN, nonce: parties.NONCE, signature: parties.SIGNATURE };
  const consumer = { device: { serialNumber: SERIAL }, email: EMAIL };
  const wireCard = { number: NUMBER, securityCode: '123', expiry: { month: 12, year: 2035 }, holder: { printedName: 'JANE DOE' } };
  const transaction = { currency: 'USD', amountCentis: 1_042 };

  it.each([
    [verification, { session, consumer, transaction: { currency: 'USD' }, sourceCard: wireCard }],
    [sale, { session, consumer, transaction, sourceOfFunds: { card: wireCard } }],
    [
      { ...sale, source: { reference: { clientCardId: 'c-1', securityCode: new Secret('321') } } },
      { session, consumer, transaction, sourceOfFunds: { reference: { clientCardId: 'c-1', securityCode: '321' } } },
    ],
    [
      transfer,
      {
        session,
        consumer,
        transaction,
        sourceOfFunds: { reference: { clientCardId: parties.SOURCE_CLIENT_CARD_ID } },
        destinationOfFunds: { card: { number: OTHER_NUMBER } },
      },
    ],
    [
      { ...transfer, destination: { reference: { clientCardId: 'c-2' } } },
      {
        session,
        consumer,
        transaction,
        sourceOfFunds: { reference: { clientCardId: parties.SOURCE_CLIENT_CARD_ID } },
        destinationOfFunds: { reference: { clientCardId: 'c-2' } },
      },
    ],
  ] as const)(
    '%# sends the documented members to the endpoint named by the merchant server [W68, W70, W72, W93, W95-98, W100-102, W406, W415]',
    async (order, body) => {
      const w = await world();
      const { token } = valueOf(await performed(w, order));
      expect(w.both.gateway.received.map((call) => [call.path, bodyOf(call)])).toStrictEqual([
        [`/paynet/dapi/v1/${order.operation}/4711/${parties.invoiceIdOf(1)}`, body],
      ]);
      expect(token).toHaveLength(36);
    },
  );

  it('sends the optional members that the app provides [W94]', async () => {
    const w = await world({}, { device: { serialNumber: SERIAL, imei: '490154203237518', ipAddresses: ['192.0.2.7'] } });
    const more = {
      birthDay: '31121990',
      location: { lat: 56.9, lng: 24.1 },
      billing: { address: { city: 'Riga', country: 'LVA' }, phone: '37120000000' },
      details: { description: 'Tea' },
    };
    expect((await performed(w, { ...sale, ...more })).kind).toBe('answered');
    expect(bodyOf(w.both.merchant.received[0])).toMatchObject({
      consumer: { device: { imei: '490154203237518' }, ipAddresses: ['192.0.2.7'] },
      location: more.location,
    });
    expect(bodyOf(w.both.gateway.received[0])).toMatchObject({
      consumer: { device: { imei: '490154203237518' }, ipAddresses: ['192.0.2.7'], birthDay: '31121990' },
      location: more.location,
      billing: more.billing,
      order: { description: 'Tea' },
    });
  });

  it.each<[string, parties.Reply]>([
    ['cut', 'cut'],
    ['half', 'half'],
    ['a page of a proxy', { text: '<html>Bad gateway</html>', status: 502 }],
    ['INTERNAL_ERROR', { json: { error: { cause: 'INTERNAL_ERROR', code: '1', message: 'store away' } }, status: 500 }],
  ])('is repeated with the same bytes if the response is %s [W417]', async (_case, reply) => {
    const w = await world({ gateway: ({ count }) => (count < 3 ? reply : undefined) });
    expect((await performed(w, sale)).kind).toBe('answered');
    const [first, ...more] = w.both.gateway.received;
    expect(more.map(({ path, body }) => [path, body])).toStrictEqual(Array(2).fill([first?.path, first?.body]));
  });

  it('is repeated twice and then reports no answer', async () => {
    const w = await world({ gateway: () => 'cut' });
    expect(await performed(w, sale)).toMatchObject({ kind: 'no-answer', reason: 'connection-lost' });
    expect(w.both.gateway.received).toHaveLength(3);
  });

  it('is not repeated if it was refused [W103, W159]', async () => {
    const error = { cause: 'INVALID_CONFIGURATION', code: '9007199254740991', message: 'no gate' };
    const w = await world({ gateway: () => ({ json: { error, invoiceId: parties.invoiceIdOf(1) } }) });
    expect(await performed(w, sale)).toStrictEqual({ kind: 'refused', ...error });
    expect(w.both.gateway.received).toHaveLength(1);
  });

  it('rejects a response for another invoice', async () => {
    const w = await world({ gateway: () => ({ json: { invoiceId: 'another', session: { token: 't'.repeat(36) } } }) });
    expect(await performed(w, sale)).toStrictEqual({
      kind: 'malformed',
      httpStatus: 200,
      fault: 'invoiceId is not that of the request',
    });
  });
});

describe('an invalid request is not sent (interface, section 2.6)', () => {
  it.each<[string, SaleOrder | TransferOrder | VerificationOrder]>([
    ['transaction.amountCentis', { ...sale, amountCentis: 0n }],
    ['transaction.amountCentis', { ...sale, amountCentis: 2n ** 53n + 1n }],
    ['transaction.currency', { ...sale, currency: 'usd' }],
  ])('initiate: %s', async (field, order) => {
    const { session, both } = await world();
    expect(await session.initiate(order)).toMatchObject({ kind: 'invalid-request', field });
    expect(both.merchant.received).toHaveLength(0);
  });

  const withCard = (change: object): SaleOrder => ({ ...sale, source: { card: { ...card, ...change } } });
  it.each<[string, SaleOrder | TransferOrder | VerificationOrder]>([
    ['consumer.email', { ...sale, email: 'x' }],
    ['consumer.birthDay', { ...sale, birthDay: '31022000' }],
    ['sourceOfFunds.card.number', withCard({ number: new Secret('4444333322221112') })],
    ['sourceOfFunds.card.securityCode', withCard({ securityCode: new Secret('12') })],
    ['sourceOfFunds.card.expiry.month', withCard({ expiry: { month: 13, year: 2035 } })],
    ['sourceOfFunds.card.holder.firstName', withCard({ holder: {} })],
    ['order.description', { ...sale, details: { description: `card ${NUMBER}` } }],
    ['destinationOfFunds.card.number', { ...transfer, destination: { card: { number: new Secret('1') } } }],
  ])('initiate and perform: %s [W369]', async (field, order) => {
    const { session, both } = await world();
    expect(await session.initiate(order)).toMatchObject({ kind: 'invalid-request', field });
    expect(both.merchant.received).toHaveLength(0);
    const invoice = valueOf(await session.initiate(sale));
    const outcome = await session.perform(order, { ...invoice, operation: order.operation });
    expect(outcome).toMatchObject({ kind: 'invalid-request', field });
    expect(both.gateway.received).toHaveLength(0);
  });
});

describe('secrets (safety, T32)', () => {
  it('are redacted in an outcome if the gateway echoes the card number', async () => {
    const error = { cause: 'INVALID_REQUEST', code: '5', message: `bad card 4444 3333 2222 1111 given` };
    const w = await world({ gateway: () => ({ json: { error } }) });
    const run = await w.clock.until(w.session.run(sale));
    expect(run.ending).toStrictEqual({ kind: 'refused', ...error, message: '[redacted]' });
  });

  it('do not appear when client, session or order are inspected', async () => {
    const { client, session } = await world();
    const shown =
      inspect([client, session, sale, transfer], { depth: Infinity, showHidden: true }) + JSON.stringify([session, verification]);
    for (const secret of [NUMBER, OTHER_NUMBER, parties.ACCESS_TOKEN]) expect(shown).not.toContain(secret);
  }, 10_000);
});

it.each(['', 'ftp://gateway.example', 'https://user@gateway.example', 'https://gateway.example?x=1', 'gateway.example'])(
  'rejects the gateway address "%s"',
  (gatewayUrl) => {
    const make = () => new DeviceClient({ gatewayUrl, merchantUrl: 'https://shop.example', device: { serialNumber: SERIAL } });
    expect(make).toThrow(RangeError);
  },
);
