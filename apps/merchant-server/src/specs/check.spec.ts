import { systemIds } from '@app/kernel';
import { checkSaleSignature, checkTransferSignature, checkVerificationSignature, DEVICE_OPERATIONS } from '@app/gateway-protocol';
import { acme, failure, forbidden, merchantServerUnderTest, type Begun } from '../testing/merchant-server-fixture';

const server = merchantServerUnderTest();
const { client } = server;

describe('check (interface, section 4.6)', () => {
  it.each(DEVICE_OPERATIONS)(
    '%s returns the signature, the currency and the consumer [W77, W80, W83, W107, W109, W143-145, W151, W536, W541, W549, W560]',
    async (operation) => {
      const begun = await client.begin(operation, { email: 'john@example.com' });
      const { status, body } = await client.check(begun);
      const sign = { verification: checkVerificationSignature, sale: checkSaleSignature, transfer: checkTransferSignature }[operation];
      expect({ status, body }).toStrictEqual({
        status: 200,
        body: {
          invoiceId: begun.invoiceId,
          session: { checkSignature: sign(begun, acme.controlKey), nonce: begun.nonce, token: begun.token },
          consumer: { email: 'john@example.com' },
          transaction: { currency: 'USD' },
        },
      });
    },
  );

  it('omits the consumer if it has no e-mail address', async () => {
    expect((await client.check(await client.begin('sale'))).body).not.toHaveProperty('consumer');
  });

  it('returns the same response if repeated and 403 for another session token', async () => {
    const begun = await client.begin('sale');
    const first = await client.check(begun);
    expect(await client.check(begun)).toMatchObject({ status: 200, body: first.body });
    expect(await client.check({ ...begun, token: systemIds.next() })).toMatchObject(forbidden);
    expect(await client.check(begun)).toMatchObject({ status: 200, body: first.body });
  });

  it('accepts exactly one of several concurrent session tokens', async () => {
    const begun = await client.begin('sale');
    const replies = await Promise.all(Array.from({ length: 12 }, () => client.check({ ...begun, token: systemIds.next() })));
    expect(replies.map(({ status }) => status).sort()).toStrictEqual([200, ...Array.from({ length: 11 }, () => 403)]);
  });

  it('releases its session token if a concurrent check of the same invoice wins', async () => {
    const [begun, other] = [await client.begin('sale'), await client.begin('sale')];
    const lost = systemIds.next();
    // The other check is written after this one's token, but before this check.
    server.store.stumble({ kind: 'rival', write: async () => undefined }, { kind: 'rival', write: () => client.check(begun) });
    expect(await client.check({ ...begun, token: lost })).toMatchObject(forbidden);
    expect((await client.check(begun)).status).toBe(200);
    expect((await client.check({ ...other, token: lost })).status).toBe(200);
    expect((await client.notify({ ...other, token: lost })).body.invoiceId).toBe(other.invoiceId);
    expect(await client.check({ ...begun, token: lost })).toMatchObject(forbidden);
    expect((await client.notify({ ...other, token: lost })).status).toBe(200);
  });

  it('stores nothing if it returns 403', async () => {
    const begun = await client.begin('sale');
    await client.check(begun);
    const expired = await client.begin('sale');
    await server.clock.advance(60 * 60_000);
    const before = await server.memory.head();
    for (const refused of [begun, expired]) expect(await client.check({ ...refused, token: systemIds.next() })).toMatchObject(forbidden);
    expect(await server.memory.head()).toBe(before);
  });

  it('accepts a session token for only one invoice', async () => {
    const [first, second] = [await client.begin('sale'), await client.begin('sale')];
    expect((await client.check(first)).status).toBe(200);
    const before = await server.memory.head();
    expect(await client.check({ ...second, token: first.token })).toMatchObject(forbidden);
    expect(await server.memory.head()).toBe(before);
    expect((await client.check(second)).status).toBe(200);
    expect((await client.notify(first)).body.invoiceId).toBe(first.invoiceId);
  });

  it('binds a session token sent for two invoices concurrently to one of them and leaves the other open', async () => {
    const invoices = [await client.begin('sale'), await client.begin('sale')];
    const token = systemIds.next();
    const replies = await Promise.all(invoices.map((begun) => client.check({ ...begun, token })));
    expect(replies.map(({ status }) => status).sort()).toStrictEqual([200, 403]);
    for (const [index, begun] of invoices.entries()) {
      const isTaken = replies[index]?.status === 200;
      expect((await client.check(begun)).status).toBe(isTaken ? 403 : 200);
    }
  });

  it.each<[string, Partial<Begun> | ((other: Begun) => Partial<Begun>)]>([
    ['accessToken', { accessToken: 'x'.repeat(64) }],
    ['accessToken of another device', ({ accessToken, serialNumber }) => ({ accessToken, serialNumber })],
    ['serialNumber', { serialNumber: 'SN-2' }],
    ['nonce', { nonce: 'n'.repeat(64) }],
    ['nonce of another invoice', ({ nonce, signature }) => ({ nonce, signature })],
    ['signature', { signature: 'A'.repeat(40) }],
    ['operation', { operation: 'transfer' }],
    ['invoice', { invoiceId: '33333333-3333-4333-8333-333333333333' }],
    ['invoice that no server makes', { invoiceId: 'a'.repeat(500) }],
  ])('returns 403 with an empty body and changes nothing for a wrong %s [W104, W420, W564]', async (_, wrong) => {
    const begun = await client.begin('sale');
    const other = await client.begin('sale', { serialNumber: 'SN-3' });
    expect(await client.check({ ...begun, ...(typeof wrong === 'function' ? wrong(other) : wrong) })).toMatchObject(forbidden);
    expect((await client.check(begun)).status).toBe(200);
  });

  it('accepts a lower-case signature', async () => {
    const begun = await client.begin('sale');
    expect((await client.check({ ...begun, signature: begun.signature.toLowerCase() })).status).toBe(200);
  });

  it('returns 403 for an invoice of another product', async () => {
    expect(await client.below('other').check(await client.begin('sale'))).toMatchObject(forbidden);
  });

  it('returns INVALID_REQUEST with the invoiceId of the path for a malformed body [W116, W404, W418, W545]', async () => {
    const begun = await client.begin('sale');
    const { status, body } = await client.send(`sale/${begun.invoiceId}/check`, { consumer: {} });
    expect({ status, body }).toStrictEqual({
      status: 400,
      body: failure('INVALID_REQUEST', expect.any(String), { invoiceId: begun.invoiceId }),
    });
  });

  it('returns FILTERED if the product rejects the operation [W158, W551]', async () => {
    const begun = await client.begin('sale');
    server.decision = { kind: 'filtered', message: 'not in this country' };
    const { status, body } = await client.check(begun);
    expect({ status, body }).toStrictEqual({
      status: 422,
      body: failure('FILTERED', 'not in this country', { invoiceId: begun.invoiceId }),
    });
  });

  it('returns the random sum of the product and queries the product only once [W544]', async () => {
    const begun = await client.begin('verification');
    server.decision = { kind: 'go-on', randomSumCentis: 142 };
    expect((await client.check(begun)).body.transaction).toStrictEqual({ currency: 'USD', randomSumCentis: 142 });
    server.decision = new Error('asked again');
    expect((await client.check(begun)).body.transaction).toStrictEqual({ currency: 'USD', randomSumCentis: 142 });
  });
});
