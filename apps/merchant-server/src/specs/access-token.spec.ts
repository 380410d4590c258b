import { MemoryEventStore } from '@app/event-store/stores/memory';
import { VirtualClock } from '@app/testing';
import { failure, forbidden, merchantServerUnderTest, TOKEN_SECRET } from '../testing/merchant-server-fixture';

const server = merchantServerUnderTest();
const { client } = server;

describe('access token (protocol decisions, section 8)', () => {
  it('is 64 random characters of [0-9a-zA-Z^$] [W410, W413, W557]', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, () => client.requestToken('?email=john@example.com')));
    for (const { status, body } of tokens) {
      expect({ status, body }).toStrictEqual({
        status: 200,
        body: { session: { accessToken: expect.stringMatching(/^[0-9a-zA-Z^$]{64}$/) } },
      });
    }
    expect(new Set(tokens.map(({ text }) => text)).size).toBe(20);
  });

  it.each(['auth/v1/request-access-token', 'auth/request-access-token/request-access-token', 'auth/%2F/request-access-token'])(
    'is also returned by GET /%s [W525]',
    async (path) => {
      for (const below of ['', 'acme/']) {
        const { status, body } = await client.send(`${below}${path}?email=john@example.com`, undefined, { method: 'GET' });
        expect([status, body.session.accessToken.length]).toStrictEqual([200, 64]);
      }
      const posted = await client.send(path);
      expect([posted.status, posted.body]).toStrictEqual([405, failure('INVALID_REQUEST', 'the method must be GET')]);
    },
  );

  it.each(['?email=', '?email=ab', `?email=${'a'.repeat(129)}`, '?email=a@b.c&email=d@e.f', '?email=a%0Ab.c'])(
    'is not issued for a malformed e-mail address: %s',
    async (query) => {
      const { status, body } = await client.requestToken(query);
      expect({ status, body }).toStrictEqual({
        status: 400,
        body: failure('INVALID_REQUEST', 'email must be given once, 3 to 128 characters'),
      });
    },
  );

  it('is bound to the first device that uses it [W558]', async () => {
    const accessToken = await client.token();
    expect((await client.initiate('sale', { accessToken, serialNumber: 'SN-1' })).status).toBe(200);
    expect((await client.initiate('sale', { accessToken, serialNumber: 'SN-1' })).status).toBe(200);
    expect(await client.initiate('sale', { accessToken, serialNumber: 'SN-2' })).toMatchObject(forbidden);
  });

  it('is bound to one device if several use it concurrently [W411, W558]', async () => {
    const accessToken = await client.token();
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) => client.initiate('sale', { accessToken, serialNumber: `SN-${index}` })),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 403)).toHaveLength(7);
  });

  it('expires after 60 minutes [W412, W559]', async () => {
    const clock = new VirtualClock();
    const client = await server.serve({ clock: clock, store: new MemoryEventStore(clock) });
    const accessToken = await client.token();
    await clock.advance(3_600_000 - 1);
    expect((await client.initiate('sale', { accessToken })).status).toBe(200);
    await clock.advance(1);
    expect(await client.initiate('sale', { accessToken })).toMatchObject(forbidden);
  });

  it("requires the product's secret if the product has one", async () => {
    const other = client.below('other');
    expect(await other.requestToken()).toMatchObject(forbidden);
    expect(await other.requestToken('', { authorization: 'Bearer wrong-secret-wrong-secret' })).toMatchObject(forbidden);
    expect(await other.requestToken('', { authorization: TOKEN_SECRET })).toMatchObject(forbidden);
    expect((await other.requestToken('', { authorization: `Bearer ${TOKEN_SECRET}` })).status).toBe(200);
  });

  it('is not issued in production for a product without a secret [W560]', async () => {
    const production = await server.serve({ isProduction: true });
    expect(await production.requestToken()).toMatchObject(forbidden);
    expect(await production.requestToken('', { authorization: 'Bearer ' })).toMatchObject(forbidden);
    expect((await production.below('other').requestToken('', { authorization: `Bearer ${TOKEN_SECRET}` })).status).toBe(200);
  });
});
