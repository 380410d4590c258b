import { cutShort, held, redirect, reply, replyText, raw, twice } from './testing';
import { certificateFor } from './testing/certificates';
import { closeOpened, limit, openBoth, openClient, openPeer, post } from './testing/world/client-world';

afterEach(closeOpened);

const answered = (body: string, status = 200) => ({ kind: 'answered', status, contentType: 'text/html;charset=utf-8', body });

describe('a request that is answered', () => {
  it('arrives once, as it was given, below the path of the base URL', async () => {
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

  it('names no trace where none is given, and has no body where none is given', async () => {
    const { peer, client } = await openBoth();
    peer.answers(reply('ok'));
    await client.send({ method: 'GET', path: '/rates' }, limit());
    const [received] = peer.requests;
    expect(received?.body).toBe('');
    expect([received?.headers.has('traceparent'), received?.headers.has('content-length')]).toStrictEqual([false, false]);
  });

  it.each([200, 201, 400, 401, 404, 500, 503])('gives status %d with its body', async (status) => {
    const { peer, client } = await openBoth();
    peer.answers(reply('what it says', { status }));
    expect(await client.send(post(), limit())).toStrictEqual(answered('what it says', status));
  });

  it('gives the status of a redirect, which is not followed', async () => {
    const { peer, client } = await openBoth();
    peer.answers(redirect(`${peer.baseUrl}/elsewhere`));
    expect(await client.send(post(), limit())).toStrictEqual(answered('', 302));
    expect(peer.requests.map(({ path }) => path)).toStrictEqual(['/pay']);
  });

  it('gives the content type as it was sent, and none where none was sent', async () => {
    const { peer, client } = await openBoth();
    peer.answers(reply('{}', { contentType: 'application/json; charset=UTF-8' }), reply('{}', { contentType: undefined }));
    expect(await client.send(post(), limit())).toMatchObject({ contentType: 'application/json; charset=UTF-8' });
    expect(await client.send(post(), limit())).toMatchObject({ contentType: undefined });
  });

  it('reads a body in chunks, one in an answer of HTTP/1.0, and none', async () => {
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

  it('waits for the last answer where interim answers come before', async () => {
    const { peer, client } = await openBoth();
    peer.answers(raw(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${replyText('in the end')}`));
    expect(await client.send(post(), limit())).toStrictEqual(answered('in the end'));
  });

  it('comes over TLS from a peer whose certificate is trusted', async () => {
    const peer = await openPeer({ tlsName: '127.0.0.1' });
    const { client } = openClient(peer.baseUrl, { trustedAuthorities: `${peer.authority}${certificateFor('other.example').certificate}` });
    peer.answers(reply('ok'));
    expect(await client.send(post(), limit())).toStrictEqual(answered('ok'));
  });
});

describe('connections', () => {
  it('are kept for the next request', async () => {
    const { peer, client } = await openBoth();
    peer.otherwise(reply('ok'));
    for (let count = 0; count < 3; count++) await client.send(post(), limit());
    expect([peer.requests.length, peer.connections]).toStrictEqual([3, 1]);
  });

  it('are made anew where the peer closed one meanwhile, before a request is written', async () => {
    const { peer, client } = await openBoth();
    peer.otherwise(reply('ok'));
    await client.send(post('/first'), limit());
    peer.hangUp();
    await peer.until(() => peer.openConnections === 0);
    expect(await client.send(post('/second'), limit())).toStrictEqual(answered('ok'));
    expect(peer.requests.map(({ path }) => path)).toStrictEqual(['/first', '/second']);
  });

  it('are no more than the limit, and calls that wait for one go first come, first served', async () => {
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

  it('are given up after a second answer to one request, which is not taken for the next answer', async () => {
    const { peer, client } = await openBoth();
    peer.answers(twice(reply('first')), reply('second'));
    expect(await client.send(post(), limit())).toStrictEqual(answered('first'));
    expect(await client.send(post(), limit())).toStrictEqual(answered('second'));
    expect(peer.connections).toBe(2);
  });
});
