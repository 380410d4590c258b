import { getEventListeners } from 'node:events';
import { gzipSync } from 'node:zlib';
import { ANSWER_BYTES_MAX, ANSWER_HEADER_BYTES_MAX } from './gate-client';
import {
  close,
  cutShort,
  drip,
  endlessly,
  held,
  hugeBody,
  hugeHeaders,
  malformedStatusLine,
  raw,
  reply,
  replyText,
  reset,
  silence,
  type PeerAnswer,
} from './testing';
import { CALL_MS, closeOpened, limit, openBoth, post } from './testing/world/client-world';

afterEach(closeOpened);

const gzipped = (header: string): PeerAnswer => {
  const body = gzipSync('ok');
  return (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n${header}\r\ncontent-length: ${body.length}\r\n\r\n`);
    socket.write(body);
  };
};
const dripping = (piece: string): PeerAnswer => drip(endlessly('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', piece));
const blanks = ' '.repeat(8_000);

it.each<[string, string, PeerAnswer]>([
  ['connection-lost', 'the connection is reset after the request', reset()],
  ['connection-lost', 'the connection is closed before an answer', close()],
  ['connection-lost', 'the answer ends in its headers', cutShort('HTTP/1.1 200 OK\r\ncontent-')],
  ['connection-lost', 'the answer ends before its body does', cutShort(replyText('in full').slice(0, -2))],
  ['malformed', 'only the end of the connection marks the end of the body', cutShort('HTTP/1.0 200 OK\r\n\r\napproved=yes')],
  ['malformed', 'a reset might mark the end of the body', cutShort('HTTP/1.0 200 OK\r\n\r\napproved=ye', 'reset')],
  ['malformed', 'the status line is none', malformedStatusLine()],
  ['malformed', 'the answer is no HTTP', raw('\u0000\u0001 garbage\r\n\r\n')],
  ['malformed', 'the answer has two lengths', raw('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx')],
  ['malformed', 'the body is gzipped, as nobody asked', gzipped('content-encoding: gzip')],
  ['malformed', 'the transfer is gzipped', raw('HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n')],
  ['too-large', 'the body is over the limit', hugeBody(ANSWER_BYTES_MAX + 1)],
  ['too-large', 'the headers are over the limit', hugeHeaders(ANSWER_HEADER_BYTES_MAX)],
  ['too-large', 'the body never ends', dripping(`400\r\n${'x'.repeat(1_024)}\r\n`)],
  ['too-large', 'the extensions of chunks never end', dripping(`1;x=${'x'.repeat(60_000)}\r\ny\r\n`)],
  ['too-large', 'interim answers never end', drip(endlessly('', `HTTP/1.1 103 Early Hints\r\nx: ${'x'.repeat(8_000)}\r\n\r\n`))],
  ['too-large', 'blanks make up the headers', drip(endlessly('HTTP/1.1 200 OK\r\n', `a:${blanks}b\r\n`))],
])('reports a request as lost with cause %s if %s, and the next request is answered', async (cause, _case, answer) => {
  const { peer, client, clock } = await openBoth({ connectionsMax: 1 });
  peer.answers(answer).otherwise(reply('ok'));
  expect(await client.send(post('/lost'), limit())).toStrictEqual({ kind: 'lost', cause });
  expect(await client.send(post('/next'), limit())).toMatchObject({ kind: 'answered', body: 'ok' });
  expect(peer.requests.map(({ path }) => path)).toStrictEqual(['/lost', '/next']);
  expect(clock.pending).toBe(0);
});

it('accepts a body of exactly the size limit', async () => {
  const { peer, client } = await openBoth({ answerBytesMax: 1_000 });
  peer.answers(hugeBody(1_000), hugeBody(1_001));
  expect(await client.send(post(), limit())).toMatchObject({ kind: 'answered', body: 'x'.repeat(1_000) });
  expect(await client.send(post(), limit())).toStrictEqual({ kind: 'lost', cause: 'too-large' });
});

it('accepts a body of exactly the size limit in chunks of one byte', async () => {
  const { peer, client } = await openBoth({ answerBytesMax: 300 });
  const pieces = Array.from({ length: 300 }, () => '1\r\nx\r\n');
  peer.answers(drip(['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', ...pieces, '0\r\n\r\n']));
  expect(await client.send(post(), limit())).toMatchObject({ kind: 'answered', body: 'x'.repeat(300) });
});

it('applies the size limit to each response and not to the whole connection', async () => {
  const { peer, client } = await openBoth({ answerBytesMax: 1_000 });
  peer.otherwise(hugeBody(1_000));
  for (let count = 0; count < 150; count++) expect(await client.send(post(), limit())).toMatchObject({ kind: 'answered' });
  expect(peer.connections).toBe(1);
});

describe('a request that was written', () => {
  it.each<[string, PeerAnswer]>([
    ['is silent', silence()],
    ['drips', drip(endlessly('HTTP/1.1 200 OK\r\n', ''))],
  ])('is lost at its deadline if the peer %s, and its connection is closed', async (_case, answer) => {
    const { peer, client, clock } = await openBoth();
    peer.answers(answer);
    const sent = client.send(post(), limit());
    await peer.received();
    await clock.advance(CALL_MS - 1);
    expect(peer.openConnections).toBe(1);
    await clock.advance(1);
    expect(await sent).toStrictEqual({ kind: 'lost', cause: 'timeout' });
    await peer.until(() => peer.openConnections === 0);
  });

  it('is lost if its signal aborts, and its abort listener is removed', async () => {
    const { peer, client } = await openBoth();
    const controller = new AbortController();
    peer.answers(silence());
    const sent = client.send(post(), limit({ signal: controller.signal }));
    await peer.received();
    controller.abort();
    expect(await sent).toStrictEqual({ kind: 'lost', cause: 'timeout' });
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('stays lost after a late response, which is not used for the next request', async () => {
    const { peer, client, clock } = await openBoth({ connectionsMax: 1 });
    const late = held(reply('late'));
    peer.answers(late).otherwise(reply('next'));
    const sent = client.send(post(), limit());
    await peer.received();
    await clock.advance(CALL_MS);
    expect(await sent).toStrictEqual({ kind: 'lost', cause: 'timeout' });
    late.release();
    expect(await client.send(post(), limit())).toMatchObject({ kind: 'answered', body: 'next' });
  });
});
