import { createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import { Secret, type GateAlias } from '@app/kernel';
import { raw, refusedBaseUrl, reply, reset, silence, type PeerAnswer } from './testing';
import { CALL_MS, closeOpened, limit, openBoth, openClient, openPeer, post } from './testing/world/client-world';

afterEach(closeOpened);

const CARD_NUMBER = '4111111111111111';
const CVV = '7319';
const CONTROL_KEY = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20';
const SECRETS = [CARD_NUMBER, CVV, CONTROL_KEY, encodeURIComponent(CONTROL_KEY)];
const digestKey = new Secret<Uint8Array>(Buffer.from('a key of this test alone'));
const digest = (text: string): string => createHmac('sha256', digestKey.reveal()).update(text).digest('hex');

it('a transcript records the request, its outcome, sizes, digests and duration', async () => {
  const { peer, client, clock, entries } = await openBoth({ digestKey });
  peer.answers((socket, request) => {
    void clock.advance(250).then(() => reply('approved', { headers: { 'x-request-id': 'r-1' } })(socket, request));
  });
  await client.send(post('/pay/7001', { query: [['currency', 'USD']], body: 'sum=10.42' }), limit());
  expect(entries).toStrictEqual([
    {
      gate: 'gate-a' as GateAlias,
      method: 'POST',
      path: '/pay/7001',
      queryNames: ['currency'],
      headerNames: ['content-type', 'user-agent', 'accept-encoding'],
      outcome: { kind: 'answered', status: 200 },
      waitedMs: 0,
      connectingMs: 0,
      tookMs: 250,
      requestBytes: 9,
      answerBytes: 8,
      requestDigest: digest('sum=10.42'),
      answerDigest: digest('approved'),
      answerHeaderNames: ['content-type', 'content-length', 'x-request-id'],
    },
  ]);
});

it('a transcript records the time in the queue and has no digest of an unsent request', async () => {
  const { peer, client, clock, entries } = await openBoth({ connectionsMax: 1, waitingMax: 1 });
  peer.answers(silence());
  const sent = [
    client.send(post('/sent'), limit()),
    client.send(post('/waits'), limit({ withinMs: 400 })),
    client.send(post('/busy'), limit()),
  ];
  await peer.received();
  await clock.advance(CALL_MS);
  await Promise.all(sent);
  const told = entries.map(({ path, outcome, waitedMs, tookMs, requestDigest }) => [
    path,
    outcome,
    waitedMs,
    tookMs,
    requestDigest !== undefined,
  ]);
  expect(told).toStrictEqual([
    ['/busy', { kind: 'not-sent', cause: 'busy' }, 0, 0, false],
    ['/waits', { kind: 'not-sent', cause: 'timeout' }, 400, 400, false],
    ['/sent', { kind: 'lost', cause: 'timeout' }, 0, CALL_MS, true],
  ]);
});

it('a transcript is also written for a malformed request and for a closed client', async () => {
  const { client, entries } = await openBoth();
  await client.send(post('/pay?key=1'), limit());
  await client.close(0);
  await client.send(post('/pay'), limit());
  expect(entries.map(({ path, outcome }) => [path, outcome])).toStrictEqual([
    ['', { kind: 'not-sent', cause: 'malformed-request' }],
    ['/pay', { kind: 'not-sent', cause: 'closed' }],
  ]);
});

it('digests of two clients differ unless the clients share a digest key', async () => {
  const peer = await openPeer();
  peer.otherwise(reply('ok'));
  const digests = [];
  for (const options of [{}, {}, { digestKey }, { digestKey }]) {
    const { client, entries } = openClient(peer.baseUrl, options);
    await client.send(post(), limit());
    digests.push(entries[0]?.requestDigest);
  }
  expect(new Set(digests).size).toBe(3);
});

it('a failure to write the transcript does not change the outcome of a call', async () => {
  const { peer, client } = await openBoth({
    onTranscript: () => {
      throw new Error('the disk is full');
    },
  });
  peer.answers(reply('ok'));
  expect(await client.send(post(), limit())).toMatchObject({ kind: 'answered' });
});

describe('a transcript contains no card number, CVV or key', () => {
  const secret = post(`/cards/${CARD_NUMBER}/charge`, {
    query: [
      ['card', CARD_NUMBER],
      ['cvv', CVV],
    ],
    headers: { authorization: `Bearer ${CONTROL_KEY}`, 'x-card': CARD_NUMBER, 'x-cvv': CVV },
    body: `credit_card_number=${CARD_NUMBER}&cvv2=${CVV}&control=${CONTROL_KEY}`,
  });
  const echo = `card=${CARD_NUMBER}&cvv=${CVV}&key=${CONTROL_KEY}`;

  it.each<[string, PeerAnswer]>([
    ['is echoed', reply(echo, { headers: { 'x-echo': echo, [`x-${CARD_NUMBER}`]: CVV, [CONTROL_KEY]: CVV } })],
    ['is echoed as the content type', reply(echo, { contentType: CARD_NUMBER })],
    ['is echoed as the reason', raw(`HTTP/1.1 200 ${echo}\r\ncontent-length: 0\r\n\r\n`)],
    ['is echoed in an answer that is malformed', raw(`${echo}\r\n\r\n`)],
    ['is lost', reset()],
  ])('if the request %s', async (_case, answer) => {
    const { peer, client, entries } = await openBoth();
    peer.answers(answer);
    await client.send(secret, limit());
    expect(await peer.received()).toMatchObject({ body: expect.stringContaining(CARD_NUMBER) as string });
    const written = `${JSON.stringify(entries)} ${inspect(entries, { depth: Infinity })}`;
    expect(entries).toHaveLength(1);
    expect(SECRETS.filter((text) => written.toLowerCase().includes(text.toLowerCase()))).toStrictEqual([]);
    expect(entries[0]?.path).toBe('/cards/[digits]/charge');
  });

  it('if the request is not sent', async () => {
    const { client, entries } = openClient(await refusedBaseUrl());
    const reply = await client.send(secret, limit());
    await client.send({ ...secret, path: `${secret.path}?card=${CARD_NUMBER}` }, limit());
    const written = JSON.stringify([reply, entries]);
    expect(entries).toHaveLength(2);
    expect(SECRETS.filter((text) => written.includes(text))).toStrictEqual([]);
  });
});
