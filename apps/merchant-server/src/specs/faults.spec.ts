import { systemIds } from '@app/kernel';
import { failure, forbidden, merchantServerUnderTest } from '../testing/merchant-server-fixture';

const server = merchantServerUnderTest();
const { client } = server;

describe('the merchant server during faults', () => {
  it('returns SERVER_UNAVAILABLE while the store is unavailable and recovers afterwards [W133, W158, W554]', async () => {
    const begun = await client.begin('sale');
    server.store.isAway = true;
    const away = failure('SERVER_UNAVAILABLE', 'try again later');
    expect(await client.requestToken()).toMatchObject({ status: 503, body: away });
    expect(await client.initiate('sale', begun as never)).toMatchObject({ status: 503, body: away });
    expect(await client.check(begun)).toMatchObject({ status: 503, body: { ...away, invoiceId: begun.invoiceId } });
    expect(await client.notify(begun)).toMatchObject({ status: 503, body: away });
    expect((await client.send('health/ready', undefined, { method: 'GET' })).status).toBe(503);
    server.store.isAway = false;
    expect((await client.check(begun)).status).toBe(200);
    expect((await client.send('health/ready', undefined, { method: 'GET' })).status).toBe(200);
  });

  it.each(
    (['refused', 'stored-answer-lost', 'not-stored-answer-lost'] as const).flatMap((kind) => [
      ['first', kind] as const,
      ['second', kind] as const,
    ]),
  )('a check whose %s append is %s succeeds if repeated', async (which, kind) => {
    const begun = await client.begin('sale');
    server.store.stumble(...(which === 'first' ? [] : [{ kind: 'rival', write: async () => undefined } as const]), { kind });
    await client.check(begun);
    const repeated = await client.check(begun);
    expect(repeated.status).toBe(200);
    expect(await client.check({ ...begun, token: systemIds.next() })).toMatchObject(forbidden);
    expect((await client.notify(begun)).status).toBe(200);
  });

  it('returns SERVER_FAILED without details for an internal error [W158, W419, W553, W563]', async () => {
    const begun = await client.begin('sale');
    server.decision = new Error('what only the log may know');
    const { status, body, text } = await client.check(begun);
    expect({ status, body }).toStrictEqual({
      status: 500,
      body: failure('SERVER_FAILED', 'internal error', { invoiceId: begun.invoiceId }),
    });
    expect(text).not.toContain('only the log');
    expect(server.logged).toContain('what only the log may know');
  });

  it('returns a unique code for each error and writes it to the log [W424, W566]', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => client.send('sale/initiate-sale', {})));
    const codes = replies.map(({ body }) => body.error.code);
    expect(new Set(codes).size).toBe(20);
    for (const code of codes) expect(server.logged).toContain(`"code":"${code}"`);
  });

  it('returns the same results from a second server with the same store', async () => {
    const begun = await client.begin('transfer', { email: 'restart@example.com' });
    const second = await server.serve();
    const first = await client.check(begun);
    expect(await second.check(begun)).toMatchObject({ status: 200, body: first.body });
    expect(await second.check({ ...begun, token: systemIds.next() })).toMatchObject(forbidden);
    const acknowledged = await second.notify(begun);
    expect(await client.notify(begun)).toMatchObject({ status: 200, body: acknowledged.body });
    expect((await client.clientIds(begun)).body).toStrictEqual((await second.clientIds(begun)).body);
  });

  it('returns 404 for an unknown product and an unknown path [W574]', async () => {
    expect((await client.below('nobody').requestToken()).status).toBe(404);
    expect((await client.send('sale/initiate')).status).toBe(404);
    expect((await client.below('acme').requestToken()).status).toBe(200);
  });
});
