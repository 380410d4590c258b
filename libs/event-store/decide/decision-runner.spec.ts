import type { Decider, Instant } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import { BrokenChain } from '../core/chain';
import { eventCodec } from '../core/codec/codec';
import { DECISION_ROUNDS_MAX, runDecision, runOpeningDecision } from './decision-runner';
import type { Envelope } from '../core/envelope';
import { load } from './load';
import { MemoryEventStore } from '../stores/memory';
import { OutcomeUnknown, StoreUnavailable, type EventStore, type NewEvent, type StoredEvent } from '../core/port';
import { f } from '../core/codec/schema';
import { streamName } from '../core/names-and-ids';
import { StumblingStore } from '../testing/stumbling-store';

type Counted = { readonly type: 'Counted'; readonly data: { readonly by: bigint } };
type Command = { readonly type: 'Count'; readonly by: bigint; readonly max: bigint };
const counter: Decider<Command, Counted, bigint, { readonly reason: 'too-much' }> = {
  initial: 0n,
  evolve: (sum, { data }) => sum + data.by,
  decide: ({ by, max }, sum) => (sum + by > max ? { reason: 'too-much' } : [{ type: 'Counted', data: { by } }]),
};
const codec = eventCodec<Counted>('counter', {
  Counted: { version: 1, meaning: 'something was counted', schema: f.object({ by: f.bigint() }) },
});
const stream = streamName('counter', 'one');
const envelope = (commandId: string): Envelope => ({
  correlation: 'c',
  causation: 'c',
  actor: 'tester',
  merchant: 'acme',
  commandId,
  recordedAt: 1 as Instant,
});
const setUp = () => {
  const memory = new MemoryEventStore(new VirtualClock());
  const store = new StumblingStore(memory);
  const run = (commandId: string, by = 1n, on: EventStore = store, max = 1_000n) =>
    runDecision({ store: on, codec, decider: counter, stream, command: { type: 'Count', by, max }, envelope: envelope(commandId) });
  const open = (commandId: string, by = 1n, max = 1_000n) =>
    runOpeningDecision({ store, codec, decider: counter, stream, command: { type: 'Count', by, max }, envelope: envelope(commandId) });
  const rival = (commandId: string, by = 10n) => ({ kind: 'rival' as const, write: () => run(commandId, by, memory) });
  const sum = async (): Promise<bigint> => (await load(memory, stream, counter, codec)).state;
  return { memory, store, run, open, rival, sum };
};
const appended = (state: bigint, by: bigint, revision: bigint) => ({
  kind: 'appended',
  state,
  events: [{ type: 'Counted', data: { by } }],
  revision,
});

describe('runDecision', () => {
  it('loads the stream, decides and appends', async () => {
    const { run, sum } = setUp();
    await expect(run('a', 2n)).resolves.toStrictEqual(appended(2n, 2n, 0n));
    await expect(run('b', 3n)).resolves.toStrictEqual(appended(5n, 3n, 1n));
    await expect(run('c', 1n, undefined, 5n)).resolves.toStrictEqual({ kind: 'rejected', rejection: { reason: 'too-much' }, state: 5n });
    await expect(sum()).resolves.toBe(5n);
  });

  it('decides again from the new events after a competing append', async () => {
    const { store, run, rival, sum } = setUp();
    store.stumble(rival('r1'), rival('r2'));
    await expect(run('a', 1n)).resolves.toStrictEqual(appended(21n, 1n, 2n));
    await expect(sum()).resolves.toBe(21n);
  });

  it('can reach a different decision after a competing append', async () => {
    const { store, run, rival } = setUp();
    store.stumble(rival('r1'));
    await expect(run('a', 1n, undefined, 10n)).resolves.toStrictEqual({ kind: 'rejected', rejection: { reason: 'too-much' }, state: 10n });
  });

  it('decides from a given state, and reads the stream only after a conflict', async () => {
    const { memory, store, run, sum } = setUp();
    await run('a', 2n);
    const from = await load(memory, stream, counter, codec);
    const again = (commandId: string, max: bigint) =>
      runDecision({ store, codec, decider: counter, stream, command: { type: 'Count', by: 1n, max }, envelope: envelope(commandId), from });
    const { reads } = store;
    await expect(again('b', 10n)).resolves.toStrictEqual(appended(3n, 1n, 1n));
    expect(store.reads - reads).toBe(0);
    await expect(again('c', 10n)).resolves.toStrictEqual(appended(4n, 1n, 2n));
    expect(store.reads - reads).toBe(1);
    await expect(again('d', 2n)).resolves.toStrictEqual({ kind: 'rejected', rejection: { reason: 'too-much' }, state: 4n });
    await expect(sum()).resolves.toBe(4n);
  });

  it('fails after the maximum number of conflicts, with nothing stored', async () => {
    const { store, run, rival, sum } = setUp();
    store.stumble(...Array.from({ length: DECISION_ROUNDS_MAX }, (_, index) => rival(`r${index}`, 1n)));
    await expect(run('a', 100n)).rejects.toThrow(StoreUnavailable);
    await expect(sum()).resolves.toBe(BigInt(DECISION_ROUNDS_MAX));
  });

  it.each([
    ['stored', 'stored-answer-lost' as const],
    ['not stored', 'not-stored-answer-lost' as const],
  ])('stores the events once, by retrying with the same ids, if the answer was lost and the append was %s', async (_, kind) => {
    const { store, run, sum } = setUp();
    await run('a', 1n);
    store.stumble({ kind }, { kind });
    await expect(run('b', 5n)).resolves.toStrictEqual(appended(6n, 5n, 1n));
    await expect(sum()).resolves.toBe(6n);
  });

  it('throws OutcomeUnknown if every answer is lost, and a repeated command finds the stored events', async () => {
    const { store, run, rival, sum } = setUp();
    const lost = { kind: 'stored-answer-lost' } as const;
    store.stumble(lost, lost, lost);
    await expect(run('a', 5n)).rejects.toThrow(OutcomeUnknown);
    await run('r', 10n);
    store.stumble(rival('never'));
    await expect(run('a', 5n)).resolves.toStrictEqual(appended(15n, 5n, 0n));
    await expect(sum()).resolves.toBe(15n);
  });

  it('throws OutcomeUnknown if an answer was lost and the retries were refused, since the first append may be stored', async () => {
    const { store, run, sum } = setUp();
    store.stumble({ kind: 'stored-answer-lost' }, { kind: 'refused' }, { kind: 'refused' });
    await expect(run('a', 5n)).rejects.toThrow(OutcomeUnknown);
    await expect(sum()).resolves.toBe(5n);
  });

  it('succeeds if a conflict shows that an earlier attempt of the same command was stored', async () => {
    const { memory, store, run, sum } = setUp();
    await run('first', 1n);
    // The same command, decided at another revision, is stored before this one's append.
    store.stumble({
      kind: 'rival',
      write: async () => {
        await run('r', 10n, memory);
        await run('a', 5n, memory);
      },
    });
    await expect(run('a', 5n)).resolves.toMatchObject({ kind: 'appended', state: 16n, revision: 2n });
    await expect(sum()).resolves.toBe(16n);
  });

  it('appends once per successful decision when a hundred decisions run concurrently', async () => {
    const { memory, run, sum } = setUp();
    const results = await Promise.allSettled(Array.from({ length: 100 }, (_, index) => run(`w${index}`, 1n, memory)));
    const won = results.filter(({ status }) => status === 'fulfilled').length;
    const lost = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    expect(lost.every((error) => error instanceof StoreUnavailable)).toBe(true);
    expect(won).toBeGreaterThanOrEqual(DECISION_ROUNDS_MAX);
    await expect(sum()).resolves.toBe(BigInt(won));
  });
});

describe('runOpeningDecision', () => {
  it('needs one append and no read', async () => {
    const { store, open } = setUp();
    await expect(open('a', 2n)).resolves.toStrictEqual(appended(2n, 2n, 0n));
    expect([store.appends, store.reads]).toStrictEqual([1, 0]);
  });

  it('reads an existing stream and decides from it', async () => {
    const { run, open } = setUp();
    await run('a', 2n);
    await expect(open('b', 3n)).resolves.toStrictEqual(appended(5n, 3n, 1n));
    await expect(open('c', 3n, 5n)).resolves.toStrictEqual({ kind: 'rejected', rejection: { reason: 'too-much' }, state: 5n });
  });

  it('reads the stream before it rejects the command', async () => {
    const { store, run, open } = setUp();
    await expect(open('a', 2n, 1n)).resolves.toStrictEqual({ kind: 'rejected', rejection: { reason: 'too-much' }, state: 0n });
    expect(store.reads).toBe(1);
    await run('b', -5n);
    await expect(open('a', 2n, 1n)).resolves.toStrictEqual(appended(-3n, 2n, 1n));
  });
});

describe('load', () => {
  const tampered = (store: EventStore, change: (event: StoredEvent) => StoredEvent | undefined): EventStore =>
    Object.assign(Object.create(store) as EventStore, {
      read: async function* (...given: Parameters<EventStore['read']>) {
        for await (const event of store.read(...given)) {
          const changed = change(event);
          if (changed !== undefined) yield changed;
        }
      },
    });
  const broken = [
    ['an event whose data were edited', (event: StoredEvent) => (event.revision === 0n ? { ...event, data: '{"by":"9"}' } : event), 1],
    ['an event that was taken out', (event: StoredEvent) => (event.revision === 1n ? undefined : event), 2],
    ['an event that was put elsewhere', (event: StoredEvent) => (event.revision === 1n ? { ...event, metadata: '{}' } : event), 1],
  ] as const;
  it.each(broken)('throws BrokenChain for a chain broken by %s', async (_, change, revision) => {
    const { memory, run } = setUp();
    for (const id of ['a', 'b', 'c']) await run(id, 1n);
    const loading = load(tampered(memory, change), stream, counter, codec);
    await expect(loading).rejects.toThrow(BrokenChain);
    await expect(loading).rejects.toThrow(`${stream} revision ${revision}`);
    await expect(run('d', 1n, tampered(memory, change))).rejects.toThrow(BrokenChain);
  });

  it('accepts the chain of consecutive appends with several events each', async () => {
    const { memory } = setUp();
    const events = (count: number): readonly [Counted, ...Counted[]] => [
      { type: 'Counted', data: { by: 1n } },
      ...Array.from({ length: count - 1 }, (): Counted => ({ type: 'Counted', data: { by: 2n } })),
    ];
    for (let round = 0; round < 5; round++) {
      const { last } = await load(memory, stream, counter, codec);
      const encoded: readonly [NewEvent, ...NewEvent[]] = codec.encode(events(round + 1), stream, last, envelope(`${round}`));
      await memory.append(stream, last === 'no_stream' ? 'no_stream' : last.revision, encoded);
    }
    await expect(load(memory, stream, counter, codec)).resolves.toMatchObject({ state: 25n, eventCount: 15 });
  });
});
