import { getEventListeners } from 'node:events';
import type { LookupFunction } from 'node:net';
import { eventually, settle } from '@app/testing';
import { held, muteServer, refusedBaseUrl, reply, silence } from './testing';
import { alsoClose, CALL_MS, closeOpened, limit, openBoth, openClient, openPeer, post } from './testing/world/client-world';

afterEach(closeOpened);

const notSent = (cause: string) => ({ kind: 'not-sent', cause });
const noSuchName: LookupFunction = (_name, _options, done) => done(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), '');
const neverResolved: LookupFunction = () => undefined;
const mute = async (): Promise<number> => {
  const server = await muteServer();
  alsoClose(() => server.close());
  return server.port;
};

describe('a request is not sent', () => {
  it('if the connection is refused', async () => {
    const { client } = openClient(await refusedBaseUrl());
    expect(await client.send(post(), limit())).toStrictEqual(notSent('unreachable'));
  });

  it('if the host name has no address', async () => {
    const { client } = openClient('http://gate.example', { lookup: noSuchName });
    expect(await client.send(post(), limit())).toStrictEqual(notSent('name-not-resolved'));
  });

  it('if the certificate is not signed by a trusted authority', async () => {
    const [peer, other] = [await openPeer({ tlsName: '127.0.0.1' }), await openPeer({ tlsName: '127.0.0.1' })];
    const { client } = openClient(peer.baseUrl);
    const { client: strict } = openClient(peer.baseUrl, { trustedAuthorities: String(other.authority) });
    expect(await client.send(post(), limit())).toStrictEqual(notSent('tls'));
    expect(await strict.send(post(), limit())).toStrictEqual(notSent('tls'));
    expect(peer.begun).toBe(0);
  });

  it('if the certificate is for another host name', async () => {
    const peer = await openPeer({ tlsName: 'other.example' });
    const { client } = openClient(peer.baseUrl, { trustedAuthorities: String(peer.authority) });
    expect(await client.send(post(), limit())).toStrictEqual(notSent('tls'));
    expect(peer.begun).toBe(0);
  });

  it('if the certificate is untrusted, even with NODE_TLS_REJECT_UNAUTHORIZED=0', async () => {
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const peer = await openPeer({ tlsName: '127.0.0.1' });
      expect(await openClient(peer.baseUrl).client.send(post(), limit())).toStrictEqual(notSent('tls'));
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
  });

  it('if the peer does not support TLS', async () => {
    const { peer, client } = await openBoth();
    const { client: secure } = openClient(peer.baseUrl.replace('http:', 'https:'));
    peer.breaks({ afterBytes: 1 });
    expect(await secure.send(post(), limit())).toStrictEqual(notSent('tls'));
    expect(await client.send(post(), limit())).toMatchObject({ kind: 'answered' });
  });

  it('if the TLS handshake does not finish within the connect timeout', async () => {
    const { client, clock } = openClient(`https://127.0.0.1:${await mute()}`, { connectMs: 200 });
    const sent = client.send(post(), limit());
    await settle(20);
    await clock.advance(200);
    expect(await sent).toStrictEqual(notSent('tls'));
  });

  it('if the host name is not resolved within the connect timeout', async () => {
    const { client, clock } = openClient('http://gate.example', { lookup: neverResolved, connectMs: 200 });
    const sent = client.send(post(), limit());
    await clock.advance(200);
    expect(await sent).toStrictEqual(notSent('name-not-resolved'));
  });

  it.each([
    ['timeout', 'its deadline', (_: AbortController) => CALL_MS],
    ['aborted', 'its signal', (controller: AbortController) => (controller.abort(), 0)],
  ])('with the cause %s if %s ends it during connecting', async (cause, _case, end) => {
    const { client, clock } = openClient(`https://127.0.0.1:${await mute()}`, { connectMs: CALL_MS * 10 });
    const controller = new AbortController();
    const sent = client.send(post(), limit({ signal: controller.signal }));
    await settle(20);
    await clock.advance(end(controller));
    expect(await sent).toStrictEqual(notSent(cause));
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it.each([
    ['timeout', 'its deadline', (_: AbortController) => 1_000],
    ['aborted', 'its signal', (controller: AbortController) => (controller.abort(), 0)],
  ])('with the cause %s if %s ends it in the queue for a connection', async (cause, _case, end) => {
    const { peer, client, clock } = await openBoth({ connectionsMax: 1 });
    peer.otherwise(silence());
    void client.send(post('/before'), limit());
    const controller = new AbortController();
    const sent = client.send(post('/waits'), limit({ signal: controller.signal, withinMs: 1_000 }));
    await peer.received();
    await clock.advance(end(controller));
    expect(await sent).toStrictEqual(notSent(cause));
    await clock.advance(CALL_MS);
    expect(peer.requests.map(({ path }) => path)).toStrictEqual(['/before']);
  });

  it('if its deadline passes in the queue, and its place in the queue is freed', async () => {
    const { peer, client, clock } = await openBoth({ connectionsMax: 1, waitingMax: 1 });
    const answer = held(reply('ok'));
    peer.otherwise(answer);
    const first = client.send(post('/first'), limit());
    const second = client.send(post('/second'), limit({ withinMs: 1_000 }));
    await peer.received();
    await clock.advance(1_000);
    expect(await second).toStrictEqual(notSent('timeout'));
    const third = client.send(post('/third'), limit());
    answer.release();
    expect([await first, await third]).toMatchObject([{ kind: 'answered' }, { kind: 'answered' }]);
    expect(peer.requests.map(({ path }) => path)).toStrictEqual(['/first', '/third']);
  });

  it('if it is aborted during name resolution, and the late address is not used', async () => {
    const peer = await openPeer();
    const controller = new AbortController();
    const resolve: (() => void)[] = [];
    const late: LookupFunction = (_name, _options, done) => void resolve.push(() => done(null, [{ address: '127.0.0.1', family: 4 }]));
    const { client } = openClient(`http://gate.example:${peer.port}`, { lookup: late, connectionsMax: 1 });
    const sent = client.send(post('/ended'), limit({ signal: controller.signal }));
    await eventually(() => resolve.length === 1);
    controller.abort();
    expect(await sent).toStrictEqual(notSent('aborted'));
    peer.otherwise(reply('ok'));
    const next = client.send(post('/next'), limit());
    resolve[0]?.();
    await eventually(() => resolve.length === 2);
    resolve[1]?.();
    expect(await next).toMatchObject({ kind: 'answered' });
    expect([peer.begun, peer.connections]).toStrictEqual([1, 1]);
  });

  it('if its deadline passes at the moment of connecting', async () => {
    const { peer, client, clock } = await openBoth({ connectionsMax: 1 });
    peer.otherwise(reply('ok'));
    const sent = client.send(post('/late'), limit());
    // The process was frozen: no timer has run.
    const stopped = jest.spyOn(clock, 'elapsedMs').mockReturnValue(clock.elapsedMs() + CALL_MS);
    expect(await sent).toStrictEqual(notSent('timeout'));
    stopped.mockRestore();
    expect(await client.send(post('/next'), limit())).toMatchObject({ kind: 'answered' });
    expect(peer.requests.map(({ path }) => path)).toStrictEqual(['/next']);
    expect([peer.begun, peer.connections]).toStrictEqual([1, 2]);
  });

  it('if the connection fails, and neither are the requests in the queue', async () => {
    const { client, clock } = openClient(await refusedBaseUrl(), { connectionsMax: 2, waitingMax: 20 });
    const sent = await Promise.all(Array.from({ length: 22 }, () => client.send(post(), limit())));
    expect(sent).toStrictEqual(sent.map(() => notSent('unreachable')));
    expect(clock.pending).toBe(0);
  });

  it('if its deadline has passed or its signal has aborted before the call', async () => {
    const { peer, client } = await openBoth();
    expect(await client.send(post(), limit({ withinMs: 0 }))).toStrictEqual(notSent('timeout'));
    expect(await client.send(post(), limit({ signal: AbortSignal.abort() }))).toStrictEqual(notSent('aborted'));
    expect(peer.connections).toBe(0);
  });

  it('if its deadline has passed by the clock before its timer runs', async () => {
    const { peer, clock, client } = await openBoth({ connectionsMax: 1 });
    const first = client.send(post('/first'), limit());
    const second = client.send(post('/second'), limit({ withinMs: 1_000 }));
    peer.otherwise((socket, request) => {
      jest.spyOn(clock, 'elapsedMs').mockReturnValue(clock.elapsedMs() + 1_000);
      reply('ok')(socket, request);
    });
    expect(await first).toMatchObject({ kind: 'answered' });
    expect(await second).toStrictEqual(notSent('timeout'));
    expect(peer.begun).toBe(1);
  });

  it.each([
    ['a path without a slash', post('pay')],
    ['a query in the path', post('/pay?card=1')],
    ['a line break in a header', post('/pay', { headers: { 'x-key': 'a\r\nx-other: b' } })],
    ['a header that is the client’s own', post('/pay', { headers: { 'Content-Length': '3' } })],
  ])('if it has %s', async (_case, request) => {
    const { peer, client } = await openBoth();
    expect(await client.send(request, limit())).toStrictEqual(notSent('malformed-request'));
    expect(peer.connections).toBe(0);
  });
});
