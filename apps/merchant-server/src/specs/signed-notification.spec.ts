import { addMs, Secret, type Instant } from '@app/kernel';
import { callbackControl } from '@app/gateway-protocol';
import {
  acme,
  CALLBACK_SECRET,
  forbidden,
  merchantServerUnderTest,
  TOKEN_SECRET,
  type Begun,
  type MerchantServerClient,
} from '../testing/merchant-server-fixture';

const server = merchantServerUnderTest();
const { client } = server;

describe('a card mapping notification of a product with a callback.secret', () => {
  const who = { authorization: `Bearer ${TOKEN_SECRET}` };
  const secret = new Secret(CALLBACK_SECRET);
  const checkedSale = async (root: MerchantServerClient, login = 'signed'): Promise<{ product: MerchantServerClient; sale: Begun }> => {
    const product = root.below(login);
    const accessToken = (await product.requestToken('', who)).body.session.accessToken;
    const sale = await product.begin('sale', { accessToken });
    await product.check(sale);
    return { product, sale };
  };
  const isNamed = async (product: MerchantServerClient, sale: Begun): Promise<boolean> =>
    (await product.clientIds(sale)).body.sourceCard !== undefined;

  it.each([false, true])("is accepted with the gateway's signature, also if repeated (production: %s) [W527]", async (isProduction) => {
    const { product, sale } = await checkedSale(await server.serve({ isProduction }));
    for (const at of [server.clock.now(), addMs(server.clock.now(), 60_000)])
      expect((await product.notify(sale, undefined, undefined, { secret, at })).status).toBe(200);
    expect(await isNamed(product, sale)).toBe(true);
  });

  it('returns 403 without a signature and logs the reason [W527]', async () => {
    const { product, sale } = await checkedSale(client);
    server.logged = '';
    expect(await product.notify(sale)).toMatchObject(forbidden);
    expect(await isNamed(product, sale)).toBe(false);
    expect(server.logged).toContain('"reason":"notification-not-signed"');
  });

  it.each<[string, Partial<{ secret: Secret<string>; at: Instant; headers: Record<string, string>; bend: (body: string) => string }>]>([
    ['another secret', { secret: new Secret(`whsec_${Buffer.alloc(24, 1).toString('base64')}`) }],
    ['a signature of other cards', { bend: (body) => body.replace('123456789', '123456788') }],
    ['a signature that is older than the tolerance', { at: addMs(server.clock.now(), -300_001) }],
    ['a signature of the future', { at: addMs(server.clock.now(), 302_000) }],
    ['another webhook-id than was signed', { headers: { 'webhook-id': 'another' } }],
    ['another time than was signed', { headers: { 'webhook-timestamp': String(Math.floor(server.clock.now() / 1_000) - 1) } }],
    ['an invalid signature', { headers: { 'webhook-signature': 'v1,AAAA' } }],
  ])('returns 403 for %s and maps no card [W527]', async (_what, wrong) => {
    const { product, sale } = await checkedSale(client);
    expect(await product.notify(sale, undefined, undefined, { secret, at: server.clock.now(), ...wrong })).toMatchObject(forbidden);
    expect(await isNamed(product, sale)).toBe(false);
  });

  it('returns 403 if replayed with other cards and changes nothing if replayed unchanged [W529]', async () => {
    const { product, sale } = await checkedSale(client);
    const signed = { secret, at: server.clock.now() };
    expect((await product.notify(sale, undefined, undefined, signed)).status).toBe(200);
    const before = await server.memory.head();
    expect((await product.notify(sale, undefined, undefined, signed)).status).toBe(200);
    const withOtherCard = { ...signed, bend: (body: string) => body.replace('444455', '444456') };
    expect(await product.notify(sale, undefined, undefined, withOtherCard)).toMatchObject(forbidden);
    expect(await server.memory.head()).toBe(before);
  });

  it('must be signed in production even without a secret, unless unsignedNotifications is set [W528]', async () => {
    const production = await server.serve({ isProduction: true });
    for (const [login, status] of [
      ['other', 403],
      ['unsigned', 200],
    ] as const) {
      const { product, sale } = await checkedSale(production, login);
      expect([login, (await product.notify(sale)).status]).toStrictEqual([login, status]);
      expect((await product.notify(sale, undefined, undefined, { secret, at: server.clock.now() })).status).toBe(status);
    }
  });

  it("returns 403 and logs the reason if the order's callback reported a decline [W530]", async () => {
    const sale = await client.begin('sale', { email: 'declined@example.com' });
    await client.check(sale);
    const end = { status: 'declined', orderId: '1234567890', clientOrderId: sale.invoiceId };
    const control = callbackControl(end, acme.controlKey);
    const facts = { status: end.status, orderid: end.orderId, client_orderid: end.clientOrderId, control };
    expect((await client.send('callback', facts)).status).toBe(200);
    server.logged = '';
    expect(await client.notify(sale)).toMatchObject(forbidden);
    expect(await isNamed(client, sale)).toBe(false);
    expect(server.logged).toContain('"reason":"order-not-approved"');
  });
});
