import { settle, VirtualClock } from '@app/testing';
import { GuardedClient } from './guarded-client';

const ORIGINS_MAX = 1_024;
const CALL_MS = 1_000;

it('refuses a new origin while 1,024 are in use, and replaces only an idle origin', async () => {
  const clock = new VirtualClock();
  const refusals = new Map<string, () => void>();
  const client = new GuardedClient({
    connectionsMax: 1,
    waitingMax: 0,
    connectMs: CALL_MS,
    answerHeaderBytesMax: 1_000,
    answerBytesMax: 1_000,
    addressesOf: (host) => new Promise((_resolve, reject) => refusals.set(host, () => reject(new Error('no address')))),
    monotonic: clock,
    scheduler: clock,
  });
  const send = (host: string) =>
    client.send(`http://${host}`, { method: 'GET', path: '/', headers: [], body: undefined }, { withinMs: CALL_MS });
  const why = async (call: ReturnType<typeof send>): Promise<unknown> => {
    const { outcome } = await call;
    return outcome.kind === 'failed' && !outcome.isSent ? outcome.why : outcome;
  };
  const calls = Array.from({ length: ORIGINS_MAX }, (_, index) => send(`m${index}.example`));
  expect(await why(send('new.example'))).toBe('busy');
  await settle(10);
  refusals.get('m5.example')?.();
  expect(await why(calls[5] as ReturnType<typeof send>)).toMatchObject({ message: 'no address' });
  await settle(10);
  const late = send('new.example');
  await clock.advance(CALL_MS);
  expect(await why(late)).toBe('timeout');
  const ends = await Promise.all(calls.map(why));
  expect(ends.filter((end) => end === 'timeout')).toHaveLength(ORIGINS_MAX - 1);
  for (const refuse of refusals.values()) refuse();
  await client.close();
});
