import { getEventListeners } from 'node:events';
import { silence } from './testing';
import { CALL_MS, closeOpened, limit, openBoth, post } from './testing/world/client-world';

afterEach(closeOpened);

const CALLS = 2_000;
const CONNECTIONS = 8;
const WAITING = 100;
const BODY_BYTES = 100_000;

it('2,000 requests to a silent peer use the limited connections and queue; the excess is rejected as busy immediately', async () => {
  const { peer, client, clock } = await openBoth({ connectionsMax: CONNECTIONS, waitingMax: WAITING });
  peer.otherwise(silence());
  const bytesBefore = process.memoryUsage().arrayBuffers;
  const calls = Array.from({ length: CALLS }, () => {
    const { signal } = new AbortController();
    return { signal, reply: client.send(post('/pay', { body: 'x'.repeat(BODY_BYTES) }), limit({ signal })) };
  });
  const busy = calls.splice(CONNECTIONS + WAITING);
  expect(new Set((await Promise.all(busy.map(({ reply }) => reply))).map((got) => JSON.stringify(got)))).toStrictEqual(
    new Set([JSON.stringify({ kind: 'not-sent', cause: 'busy' })]),
  );
  await peer.received(CONNECTIONS);
  // Only accepted calls have a deadline; refused ones left no timer or listener.
  expect(clock.pending).toBe(CONNECTIONS + WAITING);
  expect(busy.reduce((sum, { signal }) => sum + getEventListeners(signal, 'abort').length, 0)).toBe(0);
  global.gc?.();
  expect(process.memoryUsage().arrayBuffers - bytesBefore).toBeLessThan(4 * (CONNECTIONS + WAITING) * BODY_BYTES + 50_000_000);
  await clock.advance(CALL_MS);
  const replies = await Promise.all(calls.map(({ reply }) => reply));
  expect(replies.slice(0, CONNECTIONS)).toStrictEqual(replies.slice(0, CONNECTIONS).map(() => ({ kind: 'lost', cause: 'timeout' })));
  expect(replies.slice(CONNECTIONS)).toStrictEqual(replies.slice(CONNECTIONS).map(() => ({ kind: 'not-sent', cause: 'timeout' })));
  await peer.until(() => peer.openConnections === 0);
  expect([peer.begun, peer.connections, clock.pending]).toStrictEqual([CONNECTIONS, CONNECTIONS, 0]);
});
