import { DEVICE_OPERATIONS, MERCHANT_ROUTES, paymentSignature, verificationSignature } from '@app/gateway-protocol';
import { acme, failure, forbidden, merchantServerUnderTest, TOKEN_SECRET } from '../testing/merchant-server-fixture';

const server = merchantServerUnderTest();
const { client } = server;

describe('initiate (interface, section 4.4)', () => {
  const paths = DEVICE_OPERATIONS.flatMap((operation) => MERCHANT_ROUTES.initiate[operation].map((path) => [operation, path] as const));

  it.each(paths)(
    '%s at %s returns endpoint, invoice, nonce and signature [W76, W79, W82, W85, W141, W142, W188, W414, W415, W535, W538, W548, W555, W561]',
    async (operation, path) => {
      const accessToken = await client.token();
      const { status, body } = await client.initiate(operation, { accessToken, path });
      expect({ status, body }).toStrictEqual({
        status: 200,
        body: {
          endpointId: operation === 'transfer' ? '1004' : '1001',
          invoiceId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
          session: { nonce: expect.stringMatching(/^[0-9a-zA-Z^$]{64}$/), signature: expect.stringMatching(/^[0-9A-F]{40}$/) },
          ...(operation === 'transfer' && { rates: { min: '0.62', max: '1.85' } }),
        },
      });
      const { endpointId, invoiceId, session } = body;
      const signed = { accessToken, serialNumber: 'SN-1', endpointId, nonce: session.nonce, invoiceId, currency: 'USD' };
      const signature =
        operation === 'verification'
          ? verificationSignature(signed, acme.controlKey)
          : paymentSignature({ ...signed, amountCentis: 12_345 }, acme.controlKey);
      expect(session.signature).toBe(signature);
    },
  );

  it.each([
    [{}, { min: '0.62', max: '1.85' }],
    [
      { fromBin: '444455', toBin: '555566' },
      { min: '0.62', max: '1.85' },
    ],
    [
      { fromBin: '444455', toBin: '666677' },
      { min: '1.85', max: '1.85' },
    ],
    [{ toBin: '666677' }, { min: '1.85', max: '1.85' }],
    [{ amountCentis: 100 }, { min: '0.10', max: '0.30' }],
  ])('transfer of %j returns the minimum and maximum commission [W90, W91, W433, W539, W571]', async (more, rates) => {
    const { body } = await client.initiate('transfer', { accessToken: await client.token(), ...more });
    expect(body.rates).toStrictEqual(rates);
  });

  it.each<[string, object]>([
    ['inside transaction as text', { transaction: { fromBin: '444455', toBin: '666677' } }],
    ['inside transaction as integers', { transaction: { fromBin: 444_455, toBin: 666_677 } }],
    ['beside it as integers', { fromBin: 444_455, toBin: 666_677 }],
    ['in both places, the same', { fromBin: '444455', transaction: { fromBin: 444_455, toBin: '666677' } }],
  ])('transfer accepts BINs %s [W524]', async (_where, more) => {
    const { status, body } = await client.initiate('transfer', { accessToken: await client.token(), ...more });
    expect({ status, rates: body.rates }).toStrictEqual({ status: 200, rates: { min: '1.85', max: '1.85' } });
  });

  it('transfer rejects BINs inside transaction that differ from those of the body, and opens no invoice [W524]', async () => {
    const accessToken = await client.token();
    const before = await server.memory.head();
    const { status, body } = await client.initiate('transfer', { accessToken, toBin: '555566', transaction: { toBin: 666_677 } });
    expect({ status, body }).toStrictEqual({
      status: 400,
      body: failure('INVALID_REQUEST', 'transaction must not name other BINs than the body'),
    });
    expect(await server.memory.head()).toBe(before);
  });

  it('transfer returns no commission if the product has no commission table [W434]', async () => {
    const { body } = await client.below('other').requestToken('', { authorization: `Bearer ${TOKEN_SECRET}` });
    const { body: begun } = await client.below('other').initiate('transfer', { accessToken: body.session.accessToken });
    expect(begun).toMatchObject({ endpointId: '2001' });
    expect(begun).not.toHaveProperty('rates');
  });

  it('uses an endpoint only for the operations configured for it [W437, W573]', async () => {
    const accessToken = await client.token();
    expect((await client.initiate('sale', { accessToken, currency: 'EUR' })).body.endpointId).toBe('1005');
    const { status, body } = await client.initiate('verification', { accessToken, currency: 'EUR' });
    expect({ status, body }).toStrictEqual({
      status: 400,
      body: failure('INVALID_REQUEST', 'transaction.currency is not served for this operation'),
    });
  });

  it('returns 403 for an unknown token and for a token of another product [W87, W148]', async () => {
    const { body } = await client.below('other').requestToken('', { authorization: `Bearer ${TOKEN_SECRET}` });
    expect(await client.initiate('sale', { accessToken: 'x'.repeat(64) })).toMatchObject(forbidden);
    expect(await client.initiate('sale', { accessToken: body.session.accessToken })).toMatchObject(forbidden);
  });

  it.each([
    ['no JSON', 'consumer=1'],
    ['a key given twice', '{"session":{},"session":{}}'],
    ['__proto__', '{"__proto__":{"session":{}}}'],
    ['depth over 10', `${'{"a":'.repeat(11)}1${'}'.repeat(11)}`],
    ['an integer beyond 2^53', '{"transaction":{"amountCentis":9007199254740993}}'],
    ['nothing', ''],
    ['a member that is missing', { session: { accessToken: 'x'.repeat(32) } }],
  ])('returns INVALID_REQUEST without an invoiceId for %s [W88, W92, W370, W418, W540, W552, W562]', async (_, body) => {
    const reply = await client.send('transfer/initiate-sale', body);
    expect({ status: reply.status, body: reply.body }).toStrictEqual({ status: 400, body: failure('INVALID_REQUEST') });
  });

  it('returns 413 for a body above 32 KiB or a callback above 256 KiB, and 405 for another method [W390, W565]', async () => {
    for (const [path, limit] of [
      ['transfer/initiate-sale', 32_768],
      ['callback', 262_144],
    ] as const) {
      const large = await client.send(path, `{"a":"${'x'.repeat(limit)}"}`);
      expect({ status: large.status, body: large.body }).toStrictEqual({ status: 413, body: failure('INVALID_REQUEST') });
      expect((await client.send(path, `{"a":"${'x'.repeat(limit - 9)}"}`)).status).toBe(400);
    }
    const read = await client.send('transfer/initiate-sale', undefined, { method: 'GET' });
    expect({ status: read.status, allow: read.headers['allow'], body: read.body }).toStrictEqual({
      status: 405,
      allow: 'POST',
      body: failure('INVALID_REQUEST', 'the method must be POST'),
    });
  });
});
