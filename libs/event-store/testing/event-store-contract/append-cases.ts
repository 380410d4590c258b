import { type NonEmpty } from '@app/kernel';
import fc from 'fast-check';
import { codePoint } from '@app/testing/any-text';
import { stopwatch } from '@app/testing/stopwatch';
import {
  APPEND_DATA_BYTES_MAX,
  APPEND_EVENTS_MAX,
  EVENT_DATA_BYTES_MAX,
  EVENT_METADATA_BYTES_MAX,
  EventRefused,
  OutcomeUnknown,
  type Appended,
  type Conflict,
  type EventId,
  type NewEvent,
  type Revision,
  type StreamName,
} from '../../core/port';
import { collect, idOf, newEvent, newEvents } from '../new-events';
import { revision, appendedAt, conflictAt, shown, named, type ContractWorld } from './contract-world';

const DEFAULT_RIVAL_ROUNDS = 500;

/** Rows 1 to 14: appends and their conflicts. */
export const appendCases = (world: ContractWorld): void => {
  const { newStream, expectHeadStill, read, options, run } = world;

  describe('appends', () => {
    it('1: open a stream with no_stream', async () => {
      const stream = newStream();
      await expect(world.store.append(stream, 'no_stream', newEvents('a', 'b'))).resolves.toStrictEqual(appendedAt(1));
      await expect(read(stream)).resolves.toStrictEqual(named('a@0', 'b@1'));
    });

    it('2: with no_stream to an existing stream return a conflict with its revision', async () => {
      const stream = newStream();
      await world.store.append(stream, 'no_stream', newEvents('a', 'b'));
      await expect(world.store.append(stream, 'no_stream', newEvents('c'))).resolves.toStrictEqual(conflictAt(1));
    });

    it('3: succeed at the exact head', async () => {
      const stream = newStream();
      await world.store.append(stream, 'no_stream', newEvents('a'));
      await expect(world.store.append(stream, revision(0), newEvents('b', 'c'))).resolves.toStrictEqual(appendedAt(2));
    });

    it('4: with the same ids are recognised as a retry, even after further appends', async () => {
      const stream = newStream();
      await world.store.append(stream, 'no_stream', newEvents('a', 'b'));
      await world.store.append(stream, revision(1), newEvents('c'));
      await world.store.append(stream, revision(2), newEvents('d'));
      await expect(world.store.append(stream, 'no_stream', newEvents('a', 'b'))).resolves.toStrictEqual(appendedAt(1));
      await expect(world.store.append(stream, revision(1), newEvents('c'))).resolves.toStrictEqual(appendedAt(2));
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
    it.each(conflicts)('%s is a conflict without visible events (row 9)', async (_, expected, events, actual) => {
      const stream = newStream();
      await world.store.append(stream, 'no_stream', newEvents('a', 'b', 'c'));
      const head = await world.store.head();
      await expect(world.store.append(stream, expected, events)).resolves.toStrictEqual(conflictAt(actual));
      await expect(read(stream)).resolves.toStrictEqual(named('a@0', 'b@1', 'c@2'));
      await expectHeadStill(head);
    });

    it('8: with an expected revision of a missing stream return a conflict', async () => {
      await expect(world.store.append(newStream(), revision(0), newEvents('a'))).resolves.toStrictEqual(conflictAt('no_stream'));
    });

    const rounds = options.rivalRounds ?? DEFAULT_RIVAL_ROUNDS;
    it(`10: of two concurrent writers at one revision have exactly one winner (${rounds} of 10,000 rounds)`, async () => {
      const stream = newStream();
      let expected: 'no_stream' | Revision = 'no_stream';
      for (let round = 0; round < rounds; round++) {
        const rivals = [`${round}-left`, `${round}-right`] as const;
        const answers: readonly (Appended | Conflict)[] = await Promise.all(
          rivals.map((rival) => world.store.append(stream, expected, newEvents(rival))),
        );
        expect(answers.map(({ kind }) => kind).sort()).toStrictEqual(['appended', 'conflict']);
        expected = revision(round);
      }
      const stored = await collect(world.store.read(stream));
      expect(stored).toHaveLength(rounds);
      expect(new Set(stored.map(({ id }) => id)).size).toBe(rounds);
    }, 120_000);

    it('11: are readable as soon as they are acknowledged, byte for byte', async () => {
      const stream = newStream();
      const texts = ['{"a":"é€😀\\u0000\\n","b":[1,null]}', '{}', '{"n":"12345678901234567890"}'];
      const events = texts.map((data, index) => newEvent(`byte-${stream}-${index}`, { data, metadata: data, type: `Täg ${index}/ü😀` }));
      await world.store.append(stream, 'no_stream', events as unknown as NonEmpty<NewEvent>);
      const stored = await collect(world.store.read(stream));
      expect(stored.map(({ id, type, data, metadata }) => ({ id, type, data, metadata }))).toStrictEqual(events);
      expect(stored.every((event) => event.stream === stream && Number.isSafeInteger(event.createdMs))).toBe(true);
    });

    it('13: accept an event of 900,000 bytes, and refuse a larger one and store nothing', async () => {
      const stream = newStream();
      const big = newEvent('big', { data: `{"a":"${'x'.repeat(EVENT_DATA_BYTES_MAX - 8)}"}` });
      await expect(world.store.append(stream, 'no_stream', [big])).resolves.toStrictEqual(appendedAt(0));
      const [stored] = await collect(world.store.read(stream));
      expect(stored?.data === big.data).toBe(true);
      await expect(world.store.append(stream, revision(0), [newEvent('more', { data: `${big.data} ` })])).rejects.toThrow(EventRefused);
      const half = `{"a":"${'€'.repeat(APPEND_DATA_BYTES_MAX / 6)}"}`;
      await expect(
        world.store.append(stream, revision(0), [newEvent('h1', { data: half }), newEvent('h2', { data: half })]),
      ).rejects.toThrow(EventRefused);
      await expect(read(stream)).resolves.toStrictEqual(named('big@0'));
    });

    const names = fc
      .string({ unit: codePoint, minLength: 1, maxLength: 60 })
      .filter((text) => !text.startsWith('$') && !text.includes('\0'));
    it('14: accept any stream name and keep similar names apart', async () => {
      await fc.assert(
        fc.asyncProperty(names, async (text) => {
          const stream = `${run}${text}` as StreamName;
          await expect(world.store.append(stream, 'no_stream', newEvents(`name ${text}`))).resolves.toStrictEqual(appendedAt(0));
          const stored = await collect(world.store.read(stream));
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
    it.each(refused)('refuse %s, and store nothing', async (_, { stream, expected = ['no_stream'], events }) => {
      const head = await world.store.head();
      const target = (stream ?? newStream()) as StreamName;
      const batch = (events ?? newEvents('a')) as NonEmpty<NewEvent>;
      await expect(world.store.append(target, expected[0] as Revision, batch)).rejects.toThrow(EventRefused);
      await expectHeadStill(head);
    });
  });
};

const SLOW_DEADLINE_MS = 300;
const LONG_DEADLINE_MS = 1_500;
const CALLER_LIMIT_MS = 100;
const DEADLINE_TOLERANCE_MS = 200;

/** Rows 15 and 18: an append that outlasts its deadline. */
export const slowAppendCases = (world: ContractWorld): void => {
  const { newStream, options } = world;

  const { openSlow } = options;
  if (openSlow !== undefined) {
    describe('appends that take too long', () => {
      it('15 and 18: throw OutcomeUnknown at the deadline, and a retry with the same ids resolves the outcome', async () => {
        const slow = await openSlow(SLOW_DEADLINE_MS);
        try {
          const stream = newStream();
          const since = stopwatch();
          await expect(slow.store.append(stream, 'no_stream', newEvents('slow'))).rejects.toThrow(OutcomeUnknown);
          expect(since.stop()).toBeLessThan(SLOW_DEADLINE_MS + DEADLINE_TOLERANCE_MS);
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

      it("throw OutcomeUnknown at the caller's limit if it is shorter than the deadline", async () => {
        const slow = await openSlow(LONG_DEADLINE_MS);
        try {
          const since = stopwatch();
          await expect(slow.store.append(newStream(), 'no_stream', newEvents('slow'), CALLER_LIMIT_MS)).rejects.toThrow(OutcomeUnknown);
          expect(since.stop()).toBeLessThan(LONG_DEADLINE_MS - DEADLINE_TOLERANCE_MS);
        } finally {
          await slow.dispose();
        }
      }, 60_000);
    });
  }
};
