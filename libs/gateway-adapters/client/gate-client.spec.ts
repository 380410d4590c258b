import { cutShort, held, redirect, reply, replyText, raw, twice } from './testing';
import { certificateFor } from './testing/certificates';
import { closeOpened, limit, openBoth, openClient, openPeer, post } from './testing/world/client-world';

afterEach(closeOpened);

const answered = (body: string, status = 200) => ({ kind: 'answered', status, contentType: 'text/html;charset=utf-8', body });

describe('GateClient.send', () => {
  it('sends the request once and unchanged, with the path prefix of the base URL', async () => {
    const peer = await openPeer();
    const { client } = openClient(`${peer.baseUrl}/paynet/`);
    peer.answers(reply('ok'));
    const trace = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' };
    const request = post('/api/v2/sale/7001', {
      query: [['a b', 'ä&=']],
      headers: { 'Idempotency-Key': 'k1' },
      body: 'sum=10.42&name=Zoë',
    });
    expect(await client.send(request, limit({ trace }))).toStrictEqual(answered('ok'));
    const [received] = peer.requests;
    expect(peer.requests).toHaveLength(1);
    expect(received).toMatchObject({ method: 'POST', path: '/paynet/api/v2/sale/7001?a+b=%C3%A4%26%3D', body: 'sum=10.42&name=Zoë' });
    expect(Object.fromEntries(received?.headers ?? [])).toStrictEqual({
      host: `127.0.0.1:${peer.port}`,
      connection: 'keep-alive',
      'idempotency-key': 'k1',
      'user-agent': 'payment-orchestrator',
      'accept-encoding': 'identity',
      traceparent: trace.traceparent,
      'content-length': '19',
    });
  });

  it('sends no traceparent without a trace and no content-length without a body', async () => {
    const { peer, client } = await openBoth();
    peer.answers(reply('ok'));
    await client.send({ method: 'GET', path: '/rates' }, limit());
    const [received] = peer.requests;
    expect(received?.body).toBe('');
    expect([received?.headers.has('traceparent'), received?.headers.has('content-length')]).toStrictEqual([false, false]);
  });

  it.each([200, 201, 400, 401, 404, 500, 503])('returns status %d with its body', async (status) => {
    const { peer, client } = await openBoth();
    peer.answers(reply('what it says', { status }));
    expect(await client.send(post(), limit())).toStrictEqual(answered('what it says', status));
  });

  it('returns the status of a redirect without following it', async () => {
    const { peer, client } = await openBoth();
    peer.answers(redirect(`${peer.baseUrl}/elsewhere`));
    expect(await client.send(post(), limit())).toStrictEqual(answered('', 302));
    expect(peer.requests.map(({ path }) => path)).toStrictEqual(['/pay']);
  });

  it('returns the content type as received, or undefined if there is none', async () => {
    const { peer, client } = await openBoth();
    peer.answers(reply('{}', { contentType: 'application/json; charset=UTF-8' }), reply('{}', { contentType: undefined }));
    expect(await client.send(post(), limit())).toMatchObject({ contentType: 'application/json; charset=UTF-8' });
    expect(await client.send(post(), limit())).toMatchObject({ contentType: undefined });
  });

  it('reads a chunked body, a body from HTTP/1.0 and an empty body', async () => {
    const { peer, client } = await openBoth();
    peer.answers(
      raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nSt\u00e4\r\n2;x=y\r\nte\r\n0\r\n\r\n'),
      cutShort('HTTP/1.0 200 OK\r\ncontent-length: 10\r\n\r\nto the end'),
      raw('HTTP/1.1 204 No Content\r\n\r\n'),
    );
    const bodies = [];
    for (let count = 0; count < 3; count++) bodies.push(await client.send(post(), limit()));
    expect(bodies.map((got) => got.kind === 'answered' && got.body)).toStrictEqual(['St\u00e4te', 'to the end', '']);
  });

  it('skips interim responses and returns the final one', async () => {
    const { peer, client } = await openBoth();
    peer.answers(raw(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${replyText('in the end')}`));
    expect(await client.send(post(), limit())).toStrictEqual(answered('in the end'));
  });

  it('accepts a TLS peer with a trusted certificate', async () => {
    const peer = await openPeer({ tlsName: '127.0.0.1' });
    const { client } = openClient(peer.baseUrl, { trustedAuthorities: `${peer.authority}${certificateFor('other.example').certificate}` });
    peer.answers(reply('ok'));
    expect(await client.send(post(), limit())).toStrictEqual(answered('ok'));
  });
});

describe('connections of the gate client', () => {
  it('are reused for the next request', async () => {
    const { peer, client } = await openBoth();
    peer.otherwise(reply('ok'));
    for (let count = 0; count < 3; count++) await client.send(post(), limit());
    expect([peer.requests.length, peer.connections]).toStrictEqual([3, 1]);
  });

  it('are replaced if the peer closed one while it was idle', async () => {
    const { peer, client } = await openBoth();
    peer.otherwise(reply('ok'));
    await client.send(post('/first'), limit());
    peer.hangUp();
    await peer.until(() => peer.openConnections === 0);
    expect(await client.send(post('/second'), limit())).toStrictEqual(answered('ok'));
    expect(peer.requests.map(({ path }) => path)).toStrictEqual(['/first', '/second']);
  });

  it('do not exceed the limit, and queued calls are sent in order', async () => {
    const { peer, client } = await openBoth({ connectionsMax: 2, waitingMax: 3 });
    const answer = held(reply(({ path }) => path));
    peer.otherwise(answer);
    const sent = ['/1', '/2', '/3', '/4', '/5'].map((path) => client.send(post(path), limit()));
    expect(await client.send(post('/6'), limit())).toStrictEqual({ kind: 'not-sent', cause: 'busy' });
    await peer.received(2);
    answer.release();
    expect(await Promise.all(sent)).toStrictEqual(['/1', '/2', '/3', '/4', '/5'].map((path) => answered(path)));
    expect(peer.connections).toBe(2);
    expect(peer.requests.slice(2).map(({ path }) => path)).toStrictEqual(['/3', '/4', '/5']);
  });

  it('are closed after a second response to one request, which is discarded', async () => {
    const { peer, client } = await openBoth();
    peer.answers(twice(reply('first')), reply('second'));
    expect(await client.send(post(), limit())).toStrictEqual(answered('first'));
    expect(await client.send(post(), limit())).toStrictEqual(answered('second'));
    expect(peer.connections).toBe(2);
  });
});
