import { EndableDeadline, type NonEmpty } from '@app/kernel';
import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { codePoint } from '@app/testing/any-text';
import {
  APPEND_DATA_BYTES_MAX,
  APPEND_EVENTS_MAX,
  EVENT_DATA_BYTES_MAX,
  EVENT_METADATA_BYTES_MAX,
  EventRefused,
  OutcomeUnknown,
  StoreUnavailable,
  type Appended,
  type Conflict,
  type EventId,
  type EventStore,
  type NewEvent,
  type Position,
  type Revision,
  type StoredEvent,
  type StreamName,
  type SubscriptionItem,
} from '../core/port';
import { collect, idOf, newEvent, newEvents } from './new-events';
import { portCases, type PortCase } from './port-cases';

export interface StoreUnderTest {
  readonly store: EventStore;
  /** Ends this life of the store and begins the next on the same data. */
  readonly restart?: () => Promise<EventStore>;
  /** Closes the store as it is now, and takes its data away. */
  readonly dispose: () => Promise<void>;
}

/** Its reads are not answered until they are let through. */
export interface SilentStore extends StoreUnderTest {
  /** Calls that it has open at its server. */
  readonly openCalls: () => number;
  readonly speak: () => void;
}

export interface ContractOptions {
  /** False for a store that forgets: the cases with a restart are left out. */
  readonly isDurable: boolean;
  /** A store whose commits take longer than its deadline for an append; absent where an append cannot be slow. */
  readonly openSlow?: (deadlineMs: number) => Promise<StoreUnderTest>;
  /** A store of whose server no read is answered; absent where a read can not be slow. */
  readonly openSilent?: () => Promise<SilentStore>;
  /** Others write to this log too, and it holds what earlier runs wrote: streams get names of this run, and the head moves by itself. */
  readonly isShared?: boolean;
  /** A store that answers an append some time after others may see it. */
  readonly openLateAnswering?: () => Promise<StoreUnderTest>;
  /** Events that are each looked for in their streams once they were seen; fewer where each costs a journey to a server. */
  readonly seenEvents?: number;
  /** Of row 10; 10,000 on demand (safety, section 4.2). */
  readonly rivalRounds?: number;
}

const DEFAULT_RIVAL_ROUNDS = 500;
const SUBSCRIPTION_EVENTS = 600;
const SLOW_DEADLINE_MS = 300;
const LONG_DEADLINE_MS = 1_500;
const CALLER_LIMIT_MS = 100;
/** More than any store has calls at once: some of them wait for their turn. */
const READS_AT_ONCE = 100;
const WAIT_MS_MAX = 30_000;
/** Of the streams that are read after each of their events was seen. */
const SEEN_STREAM_EVENTS = 6;
const SEEN_EVENTS = 12_000;
const SEEN_WRITERS = 24;
const SEEN_SESSIONS_MAX = 200;
/** How often, and for how long, the main thread does nothing, as a long computation would have it. */
const STALL_EVERY_EVENTS = 40;
const STALL_MS = 4;
const RUN_BYTES = 4;
/** In all, replayed or left out: a case that is dropped from the file is noticed. */
const OBSERVED_CASES = 347;
/** Row 15: kept within so much. */
const DEADLINE_TOLERANCE_MS = 200;

const revision = (value: number): Revision => BigInt(value) as Revision;
const appendedAt = (value: number): Appended => ({ kind: 'appended', revision: revision(value) });
const conflictAt = (actual: 'no_stream' | number): Conflict => ({
  kind: 'conflict',
  actual: actual === 'no_stream' ? 'no_stream' : revision(actual),
});
const shown = (events: readonly StoredEvent[]): readonly string[] => events.map(({ id, revision: at }) => `${id}@${at}`);

/** Looks again until it is so; the package with the common helper builds on this one. */
const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  const endMs = performance.now() + WAIT_MS_MAX;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`it was not so within ${WAIT_MS_MAX} ms`);
    await turn();
  }
};

const stall = (): void => {
  const until = performance.now() + STALL_MS;
  while (performance.now() < until);
};

/** Takes items of a subscription until the condition holds. */
const takeUntil = async (
  subscription: AsyncIterable<SubscriptionItem>,
  isEnough: (items: readonly SubscriptionItem[]) => boolean,
): Promise<readonly SubscriptionItem[]> => {
  const items: SubscriptionItem[] = [];
  for await (const item of subscription) {
    items.push(item);
    if (isEnough(items)) break;
  }
  return items;
};
const eventsOf = (items: readonly SubscriptionItem[]): readonly StoredEvent[] =>
  items.flatMap((item) => (item.kind === 'event' ? [item.event] : []));
const hasCaughtUp = (items: readonly SubscriptionItem[]): boolean => items.at(-1)?.kind === 'caught-up';

/**
 * What every event store must do: the rows of safety, section 4.2, by their numbers, and the cases observed on EventStoreDB that the port can
 * say. Power loss and the loss of a process (row 16) need a process to kill: each store has its own test.
 */
export const eventStoreContract = (name: string, open: () => Promise<StoreUnderTest>, options: ContractOptions): void => {
  describe(`${name}: the contract of an event store`, () => {
    let subject: StoreUnderTest;
    let store: EventStore;
    let streams = 0;
    beforeAll(async () => {
      subject = await open();
      ({ store } = subject);
    });
    afterAll(() => subject.dispose());

    const restarted = (): Promise<EventStore> => {
      if (subject.restart === undefined) throw new Error('a durable store can be started again');
      return subject.restart();
    };
    const isShared = options.isShared === true;
    const run = isShared ? `r${randomBytes(RUN_BYTES).toString('hex')}` : '';
    const ordinary = `contract${run}`;
    const newStream = (category = ordinary): StreamName => `${category}-${++streams}` as StreamName;
    const newCategory = (): string => `category${run}${++streams}`;
    const expectHeadStill = async (head: Position): Promise<void> => {
      const now = await store.head();
      if (isShared) expect(store.comparePositions(now, head)).toBeGreaterThanOrEqual(0);
      else expect(now).toBe(head);
    };
    const read = async (stream: StreamName, from?: Revision): Promise<readonly string[]> => shown(await collect(store.read(stream, from)));
    const named = (...names: readonly string[]): readonly string[] =>
      names.map((text) => text.replace(/^(.+)@/, (_, id: string) => `${idOf(id)}@`));

    describe('appends', () => {
      it('1: opens a stream with no_stream', async () => {
        const stream = newStream();
        await expect(store.append(stream, 'no_stream', newEvents('a', 'b'))).resolves.toStrictEqual(appendedAt(1));
        await expect(read(stream)).resolves.toStrictEqual(named('a@0', 'b@1'));
      });

      it('2: refuses no_stream where there is one, and says where it stands', async () => {
        const stream = newStream();
        await store.append(stream, 'no_stream', newEvents('a', 'b'));
        await expect(store.append(stream, 'no_stream', newEvents('c'))).resolves.toStrictEqual(conflictAt(1));
      });

      it('3: goes on at the exact head', async () => {
        const stream = newStream();
        await store.append(stream, 'no_stream', newEvents('a'));
        await expect(store.append(stream, revision(0), newEvents('b', 'c'))).resolves.toStrictEqual(appendedAt(2));
      });

      it('4: knows a repeat by its ids, also after the stream has moved on', async () => {
        const stream = newStream();
        await store.append(stream, 'no_stream', newEvents('a', 'b'));
        await store.append(stream, revision(1), newEvents('c'));
        await store.append(stream, revision(2), newEvents('d'));
        await expect(store.append(stream, 'no_stream', newEvents('a', 'b'))).resolves.toStrictEqual(appendedAt(1));
        await expect(store.append(stream, revision(1), newEvents('c'))).resolves.toStrictEqual(appendedAt(2));
        await expect(read(stream)).resolves.toStrictEqual(named('a@0', 'b@1', 'c@2', 'd@3'));
      });

      const conflicts: readonly (readonly [
        row: string,
        expected: 'no_stream' | Revision,
        events: NonEmpty<NewEvent>,
        actual: 'no_stream' | number,
      ])[] = [
        ['5: other ids at an old revision', revision(0), newEvents('x'), 2],
        ['6: the first id the same, the second not', revision(0), newEvents('b', 'x'), 2],
        ['7: the same ids and one more', revision(0), newEvents('b', 'c', 'd'), 2],
        ['8: beyond the head', revision(7), newEvents('x'), 2],
        ['6: the same ids in another order', 'no_stream', newEvents('b', 'a'), 2],
        ['6: the same ids elsewhere in the stream', revision(1), newEvents('b'), 2],
      ];
      it.each(conflicts)('%s is a conflict, and nothing of it is visible (row 9)', async (_, expected, events, actual) => {
        const stream = newStream();
        await store.append(stream, 'no_stream', newEvents('a', 'b', 'c'));
        const head = await store.head();
        await expect(store.append(stream, expected, events)).resolves.toStrictEqual(conflictAt(actual));
        await expect(read(stream)).resolves.toStrictEqual(named('a@0', 'b@1', 'c@2'));
        await expectHeadStill(head);
      });

      it('8: beyond the head of no stream is a conflict', async () => {
        await expect(store.append(newStream(), revision(0), newEvents('a'))).resolves.toStrictEqual(conflictAt('no_stream'));
      });

      const rounds = options.rivalRounds ?? DEFAULT_RIVAL_ROUNDS;
      it(`10: of two writers at one revision exactly one wins (${rounds} of 10,000 rounds)`, async () => {
        const stream = newStream();
        let expected: 'no_stream' | Revision = 'no_stream';
        for (let round = 0; round < rounds; round++) {
          const rivals = [`${round}-left`, `${round}-right`] as const;
          const answers: readonly (Appended | Conflict)[] = await Promise.all(
            rivals.map((rival) => store.append(stream, expected, newEvents(rival))),
          );
          expect(answers.map(({ kind }) => kind).sort()).toStrictEqual(['appended', 'conflict']);
          expected = revision(round);
        }
        const stored = await collect(store.read(stream));
        expect(stored).toHaveLength(rounds);
        expect(new Set(stored.map(({ id }) => id)).size).toBe(rounds);
      }, 120_000);

      it('11: reads at once what was acknowledged, to the byte', async () => {
        const stream = newStream();
        const texts = ['{"a":"é€😀\\u0000\\n","b":[1,null]}', '{}', '{"n":"12345678901234567890"}'];
        const events = texts.map((data, index) => newEvent(`byte-${streams}-${index}`, { data, metadata: data, type: `Täg ${index}/ü😀` }));
        await store.append(stream, 'no_stream', events as unknown as NonEmpty<NewEvent>);
        const stored = await collect(store.read(stream));
        expect(stored.map(({ id, type, data, metadata }) => ({ id, type, data, metadata }))).toStrictEqual(events);
        expect(stored.every((event) => event.stream === stream && Number.isSafeInteger(event.createdMs))).toBe(true);
      });

      it('13: takes an event of 900,000 bytes, and refuses more without a trace', async () => {
        const stream = newStream();
        const big = newEvent('big', { data: `{"a":"${'x'.repeat(EVENT_DATA_BYTES_MAX - 8)}"}` });
        await expect(store.append(stream, 'no_stream', [big])).resolves.toStrictEqual(appendedAt(0));
        const [stored] = await collect(store.read(stream));
        expect(stored?.data === big.data).toBe(true);
        await expect(store.append(stream, revision(0), [newEvent('more', { data: `${big.data} ` })])).rejects.toThrow(EventRefused);
        const half = `{"a":"${'€'.repeat(APPEND_DATA_BYTES_MAX / 6)}"}`;
        await expect(store.append(stream, revision(0), [newEvent('h1', { data: half }), newEvent('h2', { data: half })])).rejects.toThrow(
          EventRefused,
        );
        await expect(read(stream)).resolves.toStrictEqual(named('big@0'));
      });

      const names = fc
        .string({ unit: codePoint, minLength: 1, maxLength: 60 })
        .filter((text) => !text.startsWith('$') && !text.includes('\0'));
      it('14: takes stream names of every kind, and keeps them apart', async () => {
        await fc.assert(
          fc.asyncProperty(names, async (text) => {
            const stream = `${run}${text}` as StreamName;
            await expect(store.append(stream, 'no_stream', newEvents(`name ${text}`))).resolves.toStrictEqual(appendedAt(0));
            const stored = await collect(store.read(stream));
            expect(stored.map((event) => [event.stream, event.id])).toStrictEqual([[stream, idOf(`name ${text}`)]]);
          }),
          {
            numRuns: 200,
            examples: [
              ['a'],
              ['A'],
              ['a '],
              ['a/b?c=d#e%20f'],
              ['a\'b"c;--'],
              ['a\nb\r\tc'],
              ['ä'],
              ['a\u0308'],
              ['😀'],
              ['\u0001\u007f'],
              ['a-$b'],
            ],
          },
        );
      }, 60_000);

      const nil = '00000000-0000-0000-0000-000000000000' as EventId;
      const refused: readonly (readonly [
        what: string,
        change: { readonly stream?: string; readonly expected?: readonly [unknown]; readonly events?: readonly NewEvent[] },
      ])[] = [
        ['an empty append', { events: [] }],
        ['more than a hundred events', { events: Array.from({ length: APPEND_EVENTS_MAX + 1 }, (_, index) => newEvent(`many-${index}`)) }],
        ['an id twice', { events: [newEvent('a'), newEvent('a')] }],
        ['the nil UUID', { events: [newEvent('a', { id: nil })] }],
        ['an id that is no UUID', { events: [newEvent('a', { id: 'order-1' as EventId })] }],
        ['an id in upper case', { events: [newEvent('a', { id: idOf('a').toUpperCase() as EventId })] }],
        ['an empty type', { events: [newEvent('a', { type: '' })] }],
        ['half a surrogate pair', { events: [newEvent('a', { data: '{"a":"\ud800"}' })] }],
        ['too much metadata', { events: [newEvent('a', { metadata: `{"a":"${'x'.repeat(EVENT_METADATA_BYTES_MAX)}"}` })] }],
        ['an empty stream name', { stream: '' }],
        ["a name of the store's own", { stream: '$all' }],
        ['a name with NUL', { stream: 'contract-\0' }],
        ['any revision', { expected: ['any'] }],
        ['no revision', { expected: [undefined] }],
        ['a negative revision', { expected: [-1n] }],
        ['a revision that is a number', { expected: [0] }],
      ];
      it.each(refused)('refuses %s, and stores nothing', async (_, { stream, expected = ['no_stream'], events }) => {
        const head = await store.head();
        const target = (stream ?? newStream()) as StreamName;
        const batch = (events ?? newEvents('a')) as NonEmpty<NewEvent>;
        await expect(store.append(target, expected[0] as Revision, batch)).rejects.toThrow(EventRefused);
        await expectHeadStill(head);
      });
    });

    describe('reads and positions', () => {
      it('finds nothing in a missing stream, and goes on from any revision', async () => {
        const stream = newStream();
        await expect(read(stream)).resolves.toStrictEqual([]);
        await store.append(stream, 'no_stream', newEvents('a', 'b', 'c'));
        await expect(read(stream, revision(1))).resolves.toStrictEqual(named('b@1', 'c@2'));
        await expect(read(stream, revision(3))).resolves.toStrictEqual([]);
        await expect(read(stream, revision(1_000))).resolves.toStrictEqual([]);
      });

      it('reads a long stream to its end, and may be left early', async () => {
        const stream = newStream();
        const total = 1_234;
        for (let from = 0; from < total; from += APPEND_EVENTS_MAX) {
          const names = Array.from({ length: Math.min(APPEND_EVENTS_MAX, total - from) }, (_, index) => `long-${from + index}`);
          await store.append(stream, from === 0 ? 'no_stream' : revision(from - 1), newEvents(names[0] ?? '', ...names.slice(1)));
        }
        const stored = await collect(store.read(stream));
        expect(stored.map(({ revision: at }) => Number(at))).toStrictEqual(Array.from({ length: total }, (_, index) => index));
        for await (const event of store.read(stream)) if (event.revision === 5n) break;
        await expect(store.append(stream, revision(total - 1), newEvents('long-last'))).resolves.toStrictEqual(appendedAt(total));
      });

      it('17: orders a stream by position as by revision (position-multi-event)', async () => {
        const [left, right] = [newStream(), newStream()];
        await store.append(left, 'no_stream', newEvents('a', 'b'));
        await store.append(right, 'no_stream', newEvents('c'));
        await store.append(left, revision(1), newEvents('d', 'e', 'f'));
        const positions = (await collect(store.read(left))).map(({ position }) => position);
        for (const [index, position] of positions.slice(1).entries()) {
          expect(store.comparePositions(positions[index] as Position, position)).toBeLessThan(0);
          expect(store.comparePositions(position, positions[index] as Position)).toBeGreaterThan(0);
        }
        const beforeHead = store.comparePositions(positions.at(-1) as Position, await store.head());
        if (isShared) expect(beforeHead).toBeLessThanOrEqual(0);
        else expect(beforeHead).toBe(0);
      });
    });

    describe('12: subscriptions', () => {
      it('delivers what stood there, says so, and goes on with what comes', async () => {
        const category = newCategory();
        const [first, second] = [newStream(category), newStream(category)];
        await store.append(first, 'no_stream', newEvents('a', 'b'));
        const subscription = store.subscribe([category], 'start');
        const items = subscription[Symbol.asyncIterator]();
        const next = async (): Promise<SubscriptionItem> => {
          for (;;) {
            const result: IteratorResult<SubscriptionItem, unknown> = await items.next();
            if (result.done === true) throw new Error('the subscription ended');
            if (result.value.kind !== 'checkpoint') return result.value;
          }
        };
        const past = [await next(), await next(), await next()];
        expect(past.map((item) => (item.kind === 'event' ? item.event.id : item.kind))).toStrictEqual([idOf('a'), idOf('b'), 'caught-up']);
        const waiting = next();
        await store.append(newStream(), 'no_stream', newEvents('foreign'));
        await store.append(second, 'no_stream', newEvents('c'));
        expect(eventsOf([await waiting]).map(({ id }) => id)).toStrictEqual([idOf('c')]);
        await subscription.cancel();
        await expect(items.next()).resolves.toStrictEqual({ done: true, value: undefined });
      });

      it('is exclusive of where it begins, at an event and at a checkpoint (sub-resume-from-event, sub-resume-from-checkpoint)', async () => {
        const [category, other] = [newCategory(), newCategory()];
        const names = Array.from({ length: 10 }, (_, index) => `resume-${index}`);
        for (const text of names) {
          await store.append(newStream(category), 'no_stream', newEvents(text));
          await store.append(newStream(other), 'no_stream', newEvents(`${text}-other`));
        }
        const all = await takeUntil(store.subscribe([category], 'start'), hasCaughtUp);
        const places: [position: Position, seen: number][] = [];
        let seen = 0;
        for (const item of all) {
          if (item.kind === 'event') places.push([item.event.position, ++seen]);
          if (item.kind === 'checkpoint') places.push([item.position, seen]);
        }
        expect(seen).toBe(names.length);
        for (const [position, count] of places) {
          const rest = eventsOf(await takeUntil(store.subscribe([category], position), hasCaughtUp));
          expect(rest.map(({ id }) => id)).toStrictEqual(names.slice(count).map(idOf));
        }
      });

      it('takes several categories, and no other that begins alike (sub-stream-two-prefixes)', async () => {
        const [one, two] = [newCategory(), newCategory()];
        for (const category of [one, two, `${one}x`, `x${two}`])
          await store.append(newStream(category), 'no_stream', newEvents(`${category}-event`));
        const events = eventsOf(await takeUntil(store.subscribe([one, two], 'start'), hasCaughtUp));
        expect(events.map(({ id }) => id)).toStrictEqual([idOf(`${one}-event`), idOf(`${two}-event`)]);
      });

      it('takes every category, known or not, from where it is asked to, and nothing of the store itself (sub-stream-regex)', async () => {
        const [one, two] = [newCategory(), newCategory()];
        const before = await store.head();
        const stream = newStream(one);
        await store.append(stream, 'no_stream', newEvents(`${one}-a`, `${one}-b`));
        await store.append(newStream(two), 'no_stream', newEvents(`${two}-c`));
        await store.append(stream, revision(1), newEvents(`${one}-d`));
        const mine = (items: readonly SubscriptionItem[]): readonly string[] =>
          eventsOf(items)
            .filter((event) => event.stream.startsWith(`${one}-`) || event.stream.startsWith(`${two}-`))
            .map(({ id }) => id);
        const written = [`${one}-a`, `${one}-b`, `${two}-c`, `${one}-d`].map(idOf);
        const all = await takeUntil(store.subscribe('all', isShared ? before : 'start'), hasCaughtUp);
        expect(mine(all)).toStrictEqual(written);
        expect(eventsOf(all).filter((event) => event.stream.startsWith('$'))).toStrictEqual([]);
        expect(mine(await takeUntil(store.subscribe('all', before), hasCaughtUp))).toStrictEqual(written);
      });

      it('loses and doubles nothing, in order, while others write and it is cut off and resumed again and again', async () => {
        const categories = [newCategory(), newCategory(), newCategory()] as const;
        const write = async (writer: number): Promise<void> => {
          const category = categories[writer % categories.length] ?? categories[0];
          const stream = newStream(category);
          for (let index = 0; index < SUBSCRIPTION_EVENTS / 6; index++) {
            await store.append(stream, index === 0 ? 'no_stream' : revision(index - 1), newEvents(`w${writer}-${index}-${stream}`));
          }
        };
        const wanted = [categories[0], categories[1]];
        const total = (SUBSCRIPTION_EVENTS / 6) * 4;
        const writing = Promise.all(Array.from({ length: 6 }, (_, writer) => write(writer)));
        const delivered: StoredEvent[] = [];
        let after: Position | 'start' = 'start';
        for (let session = 1; delivered.length < total; session++) {
          const cutAfter = session * 7;
          const items = await takeUntil(
            store.subscribe(wanted, after),
            (taken) => taken.length >= cutAfter || delivered.length + eventsOf(taken).length >= total,
          );
          delivered.push(...eventsOf(items));
          const last = items.findLast((item) => item.kind !== 'caught-up');
          if (last !== undefined) after = last.kind === 'event' ? last.event.position : (last as { position: Position }).position;
        }
        await writing;
        expect(new Set(delivered.map(({ id }) => id)).size).toBe(total);
        expect(delivered).toHaveLength(total);
        for (const [index, event] of delivered.slice(1).entries()) {
          expect(store.comparePositions((delivered[index] as StoredEvent).position, event.position)).toBeLessThan(0);
        }
        const heads = new Map<StreamName, bigint>();
        for (const event of delivered) {
          expect(event.revision).toBe((heads.get(event.stream) ?? -1n) + 1n);
          heads.set(event.stream, event.revision);
        }
      }, 60_000);

      const seenTotal = options.seenEvents ?? SEEN_EVENTS;
      it(`hands over no event that a read of its stream does not hold yet, also where the main thread stalls (${seenTotal} events)`, async () => {
        const late = await options.openLateAnswering?.();
        const seenOn = late?.store ?? store;
        const category = newCategory();
        let begun = 0;
        const write = async (): Promise<void> => {
          while (begun < seenTotal) {
            const stream = newStream(category);
            begun += SEEN_STREAM_EVENTS;
            for (let next = 0; next < SEEN_STREAM_EVENTS; next++) {
              await seenOn.append(stream, next === 0 ? 'no_stream' : revision(next - 1), newEvents(`${stream}-${next}`));
            }
          }
        };
        const readBack = async (stream: StreamName, from?: Revision) => shown(await collect(seenOn.read(stream, from)));
        const stale: string[] = [];
        let seen = 0;
        let after: Position | 'start' = 'start';
        const follow = async (): Promise<void> => {
          for await (const item of seenOn.subscribe([category], after)) {
            if (item.kind !== 'event') continue;
            const { event } = item;
            after = event.position;
            seen += 1;
            if (seen % STALL_EVERY_EVENTS === 0) stall();
            const [whole, tail] = await Promise.all([readBack(event.stream), readBack(event.stream, event.revision)]);
            const wanted = `${event.id}@${event.revision}`;
            if (whole[Number(event.revision)] !== wanted || tail[0] !== wanted) stale.push(`${event.stream} ${wanted}`);
            if (seen >= seenTotal) return;
          }
        };
        const reading = async (): Promise<void> => {
          for (let session = 1; seen < seenTotal && session <= SEEN_SESSIONS_MAX; session++) {
            await follow().catch((error: unknown) => {
              // Who is too slow for a live subscription is dropped, and goes on where it was.
              if (!(error instanceof StoreUnavailable)) throw error;
            });
          }
        };
        try {
          await Promise.all([reading(), ...Array.from({ length: SEEN_WRITERS }, write)]);
        } finally {
          await late?.dispose();
        }
        expect({ seen, staleCount: stale.length, stale: stale.slice(0, 3) }).toStrictEqual({ seen: seenTotal, staleCount: 0, stale: [] });
      }, 180_000);

      it('moves its checkpoint over events of others, up to the head', async () => {
        const [category, other] = [newCategory(), newCategory()];
        await store.append(newStream(category), 'no_stream', newEvents(`${category}-a`));
        for (let index = 0; index < 40; index++) await store.append(newStream(other), 'no_stream', newEvents(`${other}-${index}`));
        const head = await store.head();
        const items = await takeUntil(store.subscribe([category], 'start'), (taken) => {
          const last = taken.at(-1);
          return last?.kind === 'checkpoint' && store.comparePositions(last.position, head) >= 0;
        });
        expect(eventsOf(items)).toHaveLength(1);
      });

      it('ends when it is left or cancelled, also while it waits', async () => {
        const subscription = store.subscribe([newCategory()], 'start');
        const iterator = subscription[Symbol.asyncIterator]();
        const items: SubscriptionItem[] = [];
        const ended = (async () => {
          for (let item = await iterator.next(); item.done !== true; item = await iterator.next()) items.push(item.value);
        })();
        await subscription.cancel();
        await subscription.cancel();
        await ended;
        expect(eventsOf(items)).toHaveLength(0);
      });
    });

    describe('a read for somebody who waits no longer', () => {
      it('throws where his time is over before it begins, and leaves the next reader what there is', async () => {
        const stream = newStream();
        await store.append(stream, 'no_stream', newEvents('a'));
        const deadline = new EndableDeadline();
        await expect(collect(store.read(stream, undefined, deadline))).resolves.toHaveLength(1);
        await expect(store.head(deadline)).resolves.toBeDefined();
        deadline.end();
        await expect(collect(store.read(stream, undefined, deadline))).rejects.toThrow(StoreUnavailable);
        await expect(store.head(deadline)).rejects.toThrow(StoreUnavailable);
        await expect(read(stream)).resolves.toStrictEqual(named('a@0'));
      });

      it('ends between two events, and hands on no more of them', async () => {
        const stream = newStream();
        await store.append(stream, 'no_stream', newEvents('a', 'b', 'c'));
        const deadline = new EndableDeadline();
        const seen: StoredEvent[] = [];
        const reading = async (): Promise<void> => {
          for await (const event of store.read(stream, undefined, deadline)) {
            seen.push(event);
            if (seen.length === 2) deadline.end();
          }
        };
        await expect(reading()).rejects.toThrow(StoreUnavailable);
        expect(shown(seen)).toStrictEqual(named('a@0', 'b@1'));
        await expect(read(stream)).resolves.toStrictEqual(named('a@0', 'b@1', 'c@2'));
      });

      const { openSilent } = options;
      if (openSilent !== undefined) {
        it('ends in the middle of a silence, of which nothing is held afterwards', async () => {
          const silent = await openSilent();
          try {
            const stream = newStream();
            await silent.store.append(stream, 'no_stream', newEvents('a'));
            const deadline = new EndableDeadline();
            const asked = Array.from({ length: READS_AT_ONCE }, () => collect(silent.store.read(stream, undefined, deadline)));
            const ended = Promise.allSettled([...asked, silent.store.head(deadline)]);
            await until(() => silent.openCalls() > 1);
            deadline.end();
            const reasons = (await ended).map((one) => (one.status === 'rejected' ? one.reason : one.value) as unknown);
            expect(reasons.filter((reason) => !(reason instanceof StoreUnavailable))).toStrictEqual([]);
            await until(() => silent.openCalls() === 0);
            silent.speak();
            const again = Array.from({ length: READS_AT_ONCE }, () => collect(silent.store.read(stream)));
            for (const events of await Promise.all(again)) expect(shown(events)).toStrictEqual(named('a@0'));
          } finally {
            await silent.dispose();
          }
        }, 60_000);
      }
    });

    const { openSlow } = options;
    if (openSlow !== undefined) {
      describe('an append that takes too long', () => {
        it('15 and 18: ends at its deadline as unknown, and a repeat with the same ids tells', async () => {
          const slow = await openSlow(SLOW_DEADLINE_MS);
          try {
            const stream = newStream();
            const start = performance.now();
            await expect(slow.store.append(stream, 'no_stream', newEvents('slow'))).rejects.toThrow(OutcomeUnknown);
            expect(performance.now() - start).toBeLessThan(SLOW_DEADLINE_MS + DEADLINE_TOLERANCE_MS);
            let answer: Appended | Conflict | undefined;
            for (let tries = 0; answer === undefined && tries < 20; tries++) {
              answer = await slow.store.append(stream, 'no_stream', newEvents('slow')).catch((error: unknown) => {
                if (error instanceof OutcomeUnknown) return undefined;
                throw error;
              });
              if (answer === undefined && (await collect(slow.store.read(stream))).length === 1) answer = appendedAt(0);
            }
            expect(answer).toStrictEqual(appendedAt(0));
            expect(shown(await collect(slow.store.read(stream)))).toStrictEqual(named('slow@0'));
          } finally {
            await slow.dispose();
          }
        }, 60_000);

        it('ends as unknown at the limit of its caller, where that comes first', async () => {
          const slow = await openSlow(LONG_DEADLINE_MS);
          try {
            const start = performance.now();
            await expect(slow.store.append(newStream(), 'no_stream', newEvents('slow'), CALLER_LIMIT_MS)).rejects.toThrow(OutcomeUnknown);
            expect(performance.now() - start).toBeLessThan(LONG_DEADLINE_MS - DEADLINE_TOLERANCE_MS);
          } finally {
            await slow.dispose();
          }
        }, 60_000);
      });
    }

    describe('as observed on EventStoreDB', () => {
      const { cases, leftOut } = portCases();
      let prefix = '';
      const streamOf = (text: string): StreamName => `${prefix}${text.replace('<1000 characters>', 'x'.repeat(900))}` as StreamName;
      const eventOf = ({ id, type = 'T' }: { readonly id: string; readonly type?: string }): NewEvent => newEvent(id, { type });
      const append = (step: NonNullable<PortCase['when']['append']>): Promise<Appended | Conflict> =>
        store.append(
          streamOf(step.stream),
          step.expected === 'no_stream' ? 'no_stream' : revision(step.expected),
          step.events.map(eventOf) as unknown as NonEmpty<NewEvent>,
        );
      const replayed = cases.filter(({ given }) => options.isDurable || !given.some(({ restart }) => restart === true));

      it.each(replayed.map((observed) => [observed.id, observed] as const))('%s', async (id, observed) => {
        prefix = `${run}observed-${id}-`;
        for (const step of observed.given) {
          if (step.append !== undefined) expect((await append(step.append)).kind).toBe('appended');
          if (step.restart === true) store = await restarted();
        }
        const { then, when } = observed;
        if (when.append !== undefined) {
          const answer = await append(when.append);
          if ('appended' in then) expect(answer).toStrictEqual(appendedAt(then.appended));
          else expect(answer).toStrictEqual('conflict' in then ? conflictAt(then.conflict) : then);
          await expect(read(streamOf(when.append.stream))).resolves.toStrictEqual(named(...(observed.streamAfter ?? [])));
        }
        if (when.read !== undefined && 'events' in then) {
          const from = when.read.from === undefined ? undefined : revision(when.read.from);
          await expect(read(streamOf(when.read.stream), from)).resolves.toStrictEqual(named(...then.events));
        }
      });

      const ids = [...cases.map(({ id }) => id), ...Object.values(leftOut).flat()];
      it(`replays ${replayed.length} of ${ids.length} cases, and each other has its reason`, () => {
        expect(replayed.length).toBeGreaterThan(40);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids).toHaveLength(OBSERVED_CASES);
      });
      it.each(Object.entries(leftOut).map(([reason, left]) => [left.length, reason, left] as const))(
        'leaves out %i: %s',
        (_, reason, left) => {
          expect(reason).not.toBe('');
          expect(left.filter((id) => replayed.some((observed) => observed.id === id))).toStrictEqual([]);
        },
      );
    });

    if (options.isDurable) {
      it('after a restart finds all, knows repeats, and goes on', async () => {
        const category = newCategory();
        const stream = newStream(category);
        await store.append(stream, 'no_stream', newEvents('a', 'b'));
        const head = await store.head();
        store = await restarted();
        await expect(read(stream)).resolves.toStrictEqual(named('a@0', 'b@1'));
        await expectHeadStill(head);
        await expect(store.append(stream, 'no_stream', newEvents('a', 'b'))).resolves.toStrictEqual(appendedAt(1));
        await expect(store.append(stream, revision(1), newEvents('c'))).resolves.toStrictEqual(appendedAt(2));
        const events = eventsOf(await takeUntil(store.subscribe([category], 'start'), hasCaughtUp));
        expect(shown(events)).toStrictEqual(named('a@0', 'b@1', 'c@2'));
      });
    }

    describe('once closed', () => {
      it('has stored what it accepted, and refuses what comes after', async () => {
        const other = await open();
        const stream = newStream();
        const accepted = Array.from({ length: 50 }, (_, index) =>
          other.store.append(`${stream}-${index}` as StreamName, 'no_stream', newEvents('a')),
        );
        const subscription = other.store.subscribe([ordinary], 'start');
        const ended = collectItems(subscription);
        await other.store.close();
        const answers = await Promise.all(accepted);
        expect(answers.every(({ kind }) => kind === 'appended')).toBe(true);
        await expect(other.store.append(stream, 'no_stream', newEvents('late'))).rejects.toThrow(StoreUnavailable);
        await expect(collect(other.store.read(stream))).rejects.toThrow(StoreUnavailable);
        await expect(ended).resolves.toBeDefined();
        await other.dispose();
      });
    });
  });
};

const collectItems = async (subscription: AsyncIterable<SubscriptionItem>): Promise<readonly SubscriptionItem[]> => {
  const items: SubscriptionItem[] = [];
  for await (const item of subscription) items.push(item);
  return items;
};
