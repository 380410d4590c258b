import { settle, VirtualClock } from '@app/testing';
import { type Revision, type StreamName, OutcomeUnknown, StoreUnavailable, type EventStore } from './port';
import { MemoryEventStore } from '../stores/memory';
import { REQUEST_MS_MAX, RequestDeadlines } from './request-deadlines';
import { collect, newEvent } from '../testing';
import { storeWithin } from './in-time';

const SERIAL = '00000000-0000-0000-0000-000000000001';
const STREAM = 'tested-a' as StreamName;
const event = (name: string, causation = SERIAL) =>
  newEvent(name, { metadata: `{"actor":"a","causation":"${causation}","correlation":"x","schemaVersion":1}` });

const held = () => {
  const clock = new VirtualClock();
  const memory = new MemoryEventStore(clock);
  const answers: (() => void)[] = [];
  const limits: (number | undefined)[] = [];
  let fault: Error | undefined;
  const store: EventStore = {
    append: async (stream, expected, events, limitMs) => {
      limits.push(limitMs);
      await new Promise<void>((resolve) => answers.push(resolve));
      if (fault !== undefined) throw fault;
      return memory.append(stream, expected, events);
    },
    read: (stream, from, deadline) => memory.read(stream, from, deadline),
    subscribe: (categories, after) => memory.subscribe(categories, after),
    head: (deadline) => memory.head(deadline),
    comparePositions: (a, b) => memory.comparePositions(a, b),
    close: () => memory.close(),
  };
  const deadlines = new RequestDeadlines(clock, clock);
  const fail = (error: Error): void => void (fault = error);
  const answer = (): void => answers.shift()?.();
  return { clock, memory, deadlines, log: deadlines.guarding(store), limits, answer, fail };
};

type World = ReturnType<typeof held>;
const late = (mayBeStored: boolean): string => (mayBeStored ? '21' : '20');
const waits = (clock: VirtualClock, ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));
const storedIn = async ({ memory }: World): Promise<number> => (await collect(memory.read(STREAM))).length;

describe('RequestDeadlines', () => {
  it('answer 20 if nothing was sent to the log, and refuse later appends', async () => {
    const world = held();
    const { clock, deadlines, log } = world;
    let after: unknown;
    const answered = deadlines.serve(async (deadline) => {
      deadline.named(SERIAL);
      await waits(clock, 2 * REQUEST_MS_MAX);
      after = await log.append(STREAM, 'no_stream', [event('a')]).catch((error: unknown) => error);
      return 'done';
    }, late);
    await clock.advance(REQUEST_MS_MAX + 200);
    expect(await answered).toBe('20');
    await clock.advance(2 * REQUEST_MS_MAX);
    expect(after).toBeInstanceOf(StoreUnavailable);
    expect([await storedIn(world), world.limits]).toStrictEqual([0, []]);
  });

  it.each([
    ['is in progress', () => undefined, '21'],
    ['was stored', ({ answer }: World) => answer(), '21'],
    ['has an unknown outcome', ({ fail, answer }: World) => (fail(new OutcomeUnknown('lost')), answer()), '21'],
    ['was not stored', ({ fail, answer }: World) => (fail(new StoreUnavailable('away')), answer()), '20'],
  ])('answer a late request 21 or 20, depending on whether an append that %s may be stored', async (_what, end, said) => {
    const world = held();
    const { clock, deadlines, log } = world;
    const answered = deadlines.serve(async (deadline) => {
      deadline.named(SERIAL);
      await log.append(STREAM, 'no_stream', [event('a')]).catch(() => undefined);
      await waits(clock, 2 * REQUEST_MS_MAX);
      return 'done';
    }, late);
    await settle();
    end(world);
    await clock.advance(REQUEST_MS_MAX + 200);
    expect(await answered).toBe(said);
  });

  it('limit each append to the time that remains', async () => {
    const { clock, deadlines, log, limits, answer } = held();
    const answered = deadlines.serve(async (deadline) => {
      deadline.named(SERIAL);
      await waits(clock, 4_000);
      return (await log.append(STREAM, 'no_stream', [event('a')])).kind;
    }, late);
    await clock.advance(4_000);
    answer();
    expect(await answered).toBe('appended');
    expect(limits).toStrictEqual([REQUEST_MS_MAX - 300 - 4_000]);
    expect(clock.pending).toBeLessThanOrEqual(1);
  });

  it('do not limit appends of other requests or of a request that has ended', async () => {
    const { deadlines, log, limits, answer } = held();
    await deadlines.serve(
      (deadline) => Promise.resolve(deadline.named(SERIAL)),
      () => undefined,
    );
    const first = log.append(STREAM, 'no_stream', [event('a')]);
    answer();
    await first;
    const served = deadlines.serve(async (deadline) => {
      deadline.named(SERIAL);
      return (await log.append(STREAM, 0n as Revision, [event('b', 'another')])).kind;
    }, late);
    await settle();
    answer();
    expect(await served).toBe('appended');
    expect(limits).toStrictEqual([undefined, undefined]);
  });

  it('answer 21 if the request may append under another serial', async () => {
    const { clock, deadlines } = held();
    const answered = deadlines.serve(async (deadline) => {
      deadline.mayAppendUnseen();
      await waits(clock, 2 * REQUEST_MS_MAX);
      return 'done';
    }, late);
    await clock.advance(REQUEST_MS_MAX + 200);
    expect(await answered).toBe('21');
  });

  it('call whenOver when a request is answered late, and never if the answer is in time', async () => {
    const { clock, deadlines } = held();
    const told: string[] = [];
    const begin = (name: string, takesMs: number) =>
      deadlines.serve(async (deadline) => {
        deadline.whenOver(() => told.push(`${name} is over`));
        await waits(clock, takesMs);
        return 'done';
      }, late);
    const [quick, slow] = [begin('quick', 1_000), begin('slow', 2 * REQUEST_MS_MAX)];
    await clock.advance(REQUEST_MS_MAX);
    expect(told).toStrictEqual([]);
    await clock.advance(200);
    expect([await quick, await slow, told]).toStrictEqual(['done', '20', ['slow is over']]);
  });

  it('end the log reads of a request that is answered late', async () => {
    const { clock, memory, deadlines, log } = held();
    await memory.append(STREAM, 'no_stream', [event('a')]);
    const read: unknown[] = [];
    const answered = deadlines.serve(async (deadline) => {
      const store = storeWithin(log, deadline);
      read.push((await collect(store.read(STREAM))).length, await store.head());
      await waits(clock, 2 * REQUEST_MS_MAX);
      for (const late of [collect(store.read(STREAM)), store.head()]) read.push(await late.catch((error: Error) => error.name));
      return 'done';
    }, late);
    await clock.advance(REQUEST_MS_MAX + 200);
    expect(await answered).toBe('20');
    await clock.advance(2 * REQUEST_MS_MAX);
    expect(read).toStrictEqual([1, '1', 'StoreUnavailable', 'StoreUnavailable']);
    expect(storeWithin(log, undefined)).toBe(log);
  });

  it('rethrow an error of the request handler', async () => {
    const { deadlines } = held();
    await expect(deadlines.serve(() => Promise.reject(new Error('a bug')), late)).rejects.toThrow('a bug');
  });
});
