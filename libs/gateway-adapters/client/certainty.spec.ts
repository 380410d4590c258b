import * as fc from 'fast-check';
import { settle } from '@app/testing';
import type { GateReply } from './request';
import {
  close,
  cutShort,
  held,
  hugeBody,
  malformedStatusLine,
  redirect,
  reply,
  replyText,
  reset,
  silence,
  twice,
  type PeerAnswer,
} from './testing';
import { closeOpened, limit, openClient, openPeer, post } from './testing/world/client-world';

afterEach(closeOpened);

const ANSWERS: Readonly<Record<string, () => PeerAnswer>> = {
  reply: () => reply('ok'),
  closing: () => reply('ok', { headers: { connection: 'close' } }),
  silence,
  reset,
  close,
  'cut short': () => cutShort(replyText('in full').slice(0, -3)),
  'cut by a reset': () => cutShort(replyText('in full').slice(0, -3), 'reset'),
  twice: () => twice(reply('ok')),
  malformed: malformedStatusLine,
  huge: () => hugeBody(5_000),
  redirect: () => redirect('/elsewhere'),
};

const turn = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('send' as const), withinMs: fc.constantFrom(0, 5, 20, 1_000), isAborted: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(0, 1, 5, 20) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('abort' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('hang up' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('release' as const) }) },
);
const world = fc.record({
  turns: fc.array(fc.tuple(turn, fc.nat(6)), { minLength: 10, maxLength: 60 }),
  answers: fc.array(fc.constantFrom(...Object.keys(ANSWERS), 'held'), { maxLength: 40 }),
  breaks: fc.array(fc.constantFrom(0, 1, 40, 150, 230, 100_000), { maxLength: 20 }),
  closesWithinMs: fc.constantFrom(0, 30),
});

const openWorld = async (tlsName?: string) => {
  const peer = await openPeer(tlsName === undefined ? {} : { tlsName });
  const opened = openClient(peer.baseUrl, {
    connectionsMax: 3,
    waitingMax: 3,
    connectMs: 50,
    answerBytesMax: 4_000,
    ...(peer.authority !== undefined && { trustedAuthorities: peer.authority }),
  });
  return { peer, ...opened };
};

/** The client's results by path, and the peer's record, after everything has ended. */
const play = async (
  { turns, answers, breaks, closesWithinMs }: typeof world extends fc.Arbitrary<infer World> ? World : never,
  tlsName?: string,
) => {
  const { peer, client, clock } = await openWorld(tlsName);
  const late = held(reply('late'));
  peer.answers(...answers.map((name) => (name === 'held' ? late : (ANSWERS[name]?.() ?? silence())))).otherwise(reply('ok'));
  peer.breaks(...breaks.map((afterBytes) => ({ afterBytes })));
  const replies: Promise<readonly [path: string, reply: GateReply]>[] = [];
  const controllers: AbortController[] = [];
  for (const [happens, eventLoopTurns] of turns) {
    if (happens.kind === 'send') {
      const path = `/request/${replies.length}`;
      const controller = new AbortController();
      if (happens.isAborted) controllers.push(controller);
      const sent = client.send(post(path), limit({ withinMs: happens.withinMs, signal: controller.signal }));
      replies.push(sent.then((got) => [path, got]));
    } else if (happens.kind === 'pass') await clock.advance(happens.ms);
    else if (happens.kind === 'abort') controllers.shift()?.abort();
    else if (happens.kind === 'hang up') peer.hangUp();
    else late.release();
    if (eventLoopTurns > 0) await settle(eventLoopTurns);
  }
  const closed = client.close(closesWithinMs);
  await clock.advance(closesWithinMs);
  await closed;
  const said = await Promise.all(replies);
  await peer.until(() => peer.openConnections === 0);
  return { said, peer, clock };
};

const holds = async (given: Parameters<typeof play>[0], tlsName?: string): Promise<GateReply['kind'][]> => {
  const { said, peer, clock } = await play(given, tlsName);
  const received = peer.requests.map(({ path }) => path);
  await closeOpened();
  expect(clock.pending).toBe(0);
  expect(new Set(received).size).toBe(received.length);
  const notSent = said.filter(([, { kind }]) => kind === 'not-sent').map(([path]) => path);
  expect(received.filter((path) => notSent.includes(path))).toStrictEqual([]);
  expect(peer.begun).toBeLessThanOrEqual(said.length - notSent.length);
  // A second answer to one request may be taken for the next request's on the same connection.
  if (given.answers.includes('twice')) return said.map(([, { kind }]) => kind);
  const answered = said.filter(([, { kind }]) => kind === 'answered').map(([path]) => path);
  expect(answered.filter((path) => !received.includes(path))).toStrictEqual([]);
  return said.map(([, { kind }]) => kind);
};

describe('the gate client against random failures and timings', () => {
  it('sends no request twice, and the peer never receives a request reported as not sent', async () => {
    const kinds = new Set<GateReply['kind']>();
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        for (const kind of await holds(given)) kinds.add(kind);
      }),
      { numRuns: 100 },
    );
    expect(kinds).toStrictEqual(new Set(['answered', 'not-sent', 'lost']));
  });

  it('gives the same guarantees over TLS', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (given) => void (await holds(given, '127.0.0.1'))),
      { numRuns: 25 },
    );
  });
});
