import { DEVICE_OPERATIONS, MERCHANT_ROUTES, notificationSignature } from '@app/gateway-protocol';
import { acme, forbidden, merchantServerUnderTest, SAMPLE_CARD, type Begun } from '../testing/merchant-server-fixture';

const server = merchantServerUnderTest();
const { client } = server;

describe('card mapping notification (interface, section 4.8)', () => {
  const paths = DEVICE_OPERATIONS.flatMap((operation) => MERCHANT_ROUTES.notification[operation].map((path) => [operation, path] as const));

  it.each(paths)(
    'for %s at %s returns 200 with the invoice of the token [W78, W81, W84, W129, W131, W132, W146, W152, W188, W431, W537, W546, W550, W556, W570]',
    async (operation, path) => {
      const begun = await client.begin(operation);
      await client.check(begun);
      const { status, body } = await client.notify(begun, undefined, path.replace(':invoiceId', begun.invoiceId));
      expect({ status, body }).toStrictEqual({
        status: 200,
        body: {
          invoiceId: begun.invoiceId,
          session: { checkSignature: notificationSignature(begun, acme.controlKey), nonce: begun.nonce, token: begun.token },
        },
      });
    },
  );

  it('for a sale without a card returns the same response if repeated, and 403 if a card is added [W130, W547]', async () => {
    const { begun } = await client.complete('sale', {}, {});
    const repeated = await client.notify(begun, {});
    expect(repeated.status).toBe(200);
    expect(await client.notify(begun, {})).toMatchObject({ status: 200, body: repeated.body });
    expect(await client.notify(begun)).toMatchObject(forbidden);
  });

  it.each<[string, Partial<Begun>]>([
    ['token', { token: '33333333-3333-4333-8333-333333333333' }],
    ['accessToken', { accessToken: 'x'.repeat(64) }],
    ['serialNumber', { serialNumber: 'SN-2' }],
    ['operation', { operation: 'transfer' }],
  ])('returns 403 for a wrong %s [W133, W420, W564]', async (_, wrong) => {
    const begun = await client.begin('sale');
    await client.check(begun);
    expect(await client.notify({ ...begun, ...wrong })).toMatchObject(forbidden);
    expect((await client.clientIds(begun)).body).toStrictEqual({ invoiceId: begun.invoiceId });
  });

  it('returns 403 before the check and at the path of another invoice [W556]', async () => {
    const [begun, other] = [await client.begin('sale'), await client.begin('sale')];
    expect(await client.notify(begun)).toMatchObject(forbidden);
    await client.check(begun);
    expect(await client.notify(begun, undefined, `sale/${other.invoiceId}/notification`)).toMatchObject(forbidden);
  });

  it('returns 403 and stores nothing if the cards differ from the first notification', async () => {
    const { begun } = await client.complete('sale', { email: 'told-twice@example.com' });
    const before = await server.memory.head();
    expect(await client.notify(begun, { source: { ...SAMPLE_CARD, uniqueReferenceCardId: 5 } })).toMatchObject(forbidden);
    expect(await client.notify(begun, {})).toMatchObject(forbidden);
    expect(await server.memory.head()).toBe(before);
  });

  it('returns 403 and stores nothing if it has more cards than the first notification', async () => {
    const destination = { bin: 555_566, serverCardId: 'cdestination0000000c', uniqueReferenceCardId: 987_654_321 };
    const none = await client.complete('sale', { email: 'told-none@example.com' }, {});
    const one = await client.complete('transfer', { email: 'told-one@example.com' });
    const before = await server.memory.head();
    expect(await client.notify(none.begun)).toMatchObject(forbidden);
    expect(await client.notify(one.begun, { source: SAMPLE_CARD, destination })).toMatchObject(forbidden);
    expect(await server.memory.head()).toBe(before);
  });

  it('accepts a card reference of 2^53 - 1 and one that looks like a card number', async () => {
    const cards = [Number.MAX_SAFE_INTEGER, 4_111_111_111_111_111].map((uniqueReferenceCardId) => ({
      ...SAMPLE_CARD,
      uniqueReferenceCardId,
    }));
    for (const source of cards) expect((await client.complete('sale', {}, { source })).source).not.toBe('');
  });
});
