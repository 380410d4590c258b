import fc from 'fast-check';
import type { Scheduler } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import { metadataOf } from '../core/envelope';
import { eventId } from '../core/names-and-ids';
import { MemoryEventStore } from '../stores/memory';
import {
  StoreUnavailable,
  type EventStore,
  type NewEvent,
  type Revision,
  type StoredEvent,
  type StreamName,
  type Subscription,
} from '../core/port';
import { chainedEvents, ChainedWriter, collect, StumblingStore } from '../testing';
import { copyLog, verifyCopy, type CopyReport, type CopySettings } from './copy-log';

const KNOWN = new Set(['order', 'delivery', 'serial', 'once']);
const scheduler: Scheduler = {
  after: (_delayMs, run) => {
    setImmediate(run);
    return { cancel: () => undefined };
  },
};
const stream = (name: string): StreamName => name as StreamName;
const newStore = (): MemoryEventStore => new MemoryEventStore(new VirtualClock());

const content = async (store: EventStore): Promise<readonly StoredEvent[]> => {
  const events: StoredEvent[] = [];
  for await (const item of store.subscribe('all', 'start')) {
    if (item.kind === 'caught-up') break;
    if (item.kind === 'event') events.push(item.event);
  }
  return events;
};
const shown = (events: readonly StoredEvent[]): readonly string[] =>
  events.map(({ stream: name, revision, id, type, data, metadata }) => [name, revision, id, type, data, metadata].join('|'));
const byStream = (events: readonly StoredEvent[]): readonly string[] => [...shown(events)].sort();

const copy = (source: EventStore, target: EventStore, more: Partial<CopySettings> = {}): Promise<CopyReport> =>
  copyLog({ source, target, selection: 'all', knownCategories: KNOWN, scheduler, ...more });
const stoppingAfter = (questions: number): (() => boolean) => {
  let asked = 0;
  return () => ++asked > questions;
};

describe('copyLog', () => {
  const aLog = fc.array(
    fc.record({
      category: fc.constantFrom('order', 'delivery', 'serial'),
      stream: fc.nat(3),
      count: fc.integer({ min: 1, max: 4 }),
      request: fc.nat(3),
    }),
    { minLength: 1, maxLength: 25 },
  );

  it('completes after any number of interrupted runs, lost answers and a small cache of stream ends', async () => {
    await fc.assert(
      fc.asyncProperty(
        aLog,
        fc.array(fc.nat(60), { maxLength: 8 }),
        fc.array(fc.constantFrom('refused', 'stored-answer-lost', 'not-stored-answer-lost'), { maxLength: 5 }),
        fc.integer({ min: 1, max: 4 }),
        async (appends, stops, stumbles, streamsKnownMax) => {
          const [source, memory] = [newStore(), newStore()];
          const writer = new ChainedWriter(source);
          for (const { category, stream: index, count, request } of appends) {
            await writer.write(stream(`${category}-${index}`), count, `request ${request}`);
          }
          const before = shown(await content(source));
          const target = new StumblingStore(memory).stumble(...stumbles.map((kind) => ({ kind })));
          for (const questions of stops) {
            const { outcome } = await copy(source, target, { isStopRequested: stoppingAfter(questions), streamsKnownMax }).catch(
              (error: unknown) => {
                if (error instanceof Error && /refused|lost/.test(error.message)) return { outcome: 'stopped' };
                throw error;
              },
            );
            expect(['stopped', 'equal']).toContain(outcome);
          }
          const report = await copy(source, target, { streamsKnownMax });
          expect(report).toMatchObject({ outcome: 'equal', faults: [], inspection: { events: before.length, held: before.length } });
          const copied = await content(memory);
          expect(byStream(copied)).toStrictEqual([...before].sort());
          expect(shown(await content(source))).toStrictEqual(before);
          // Events of one correlation stay in order, so that no effect precedes its cause.
          for (const request of new Set(appends.map((append) => `request ${append.request}`))) {
            const of = (events: readonly StoredEvent[]) => shown(events.filter((event) => metadataOf(event).correlation === request));
            expect(of(copied)).toStrictEqual(of(await content(source)));
          }
          expect(await copy(source, target)).toMatchObject({ outcome: 'equal', appended: 0 });
        },
      ),
      { numRuns: 150 },
    );
  });

  it('splits a copy into appends within the limits of the port', async () => {
    const [source, target] = [newStore(), newStore()];
    const writer = new ChainedWriter(source);
    for (let batch = 0; batch < 3; batch++) await writer.write(stream('order-1'), 100);
    for (let batch = 0; batch < 4; batch++) await writer.write(stream('order-2'), 1, 'request', 'x'.repeat(400_000));
    const counting = new StumblingStore(target);
    await expect(copy(source, counting)).resolves.toMatchObject({ outcome: 'equal', appended: 304 });
    expect(counting.appends).toBe(5);
  });

  it('copies the log up to its end at the start, and reports that the source has grown', async () => {
    const [source, target] = [newStore(), newStore()];
    const writer = new ChainedWriter(source);
    await writer.write(stream('order-1'), 2);
    let isLate = true;
    const late = async (): Promise<void> => {
      if (!isLate) return;
      isLate = false;
      await writer.write(stream('order-1'), 1);
      await writer.write(stream('order-2'), 1);
    };
    const slow = new StumblingStore(target).stumble({ kind: 'rival', write: late });
    const report = await copy(source, slow);
    expect(report).toMatchObject({ outcome: 'equal', appended: 2, hasSourceGrown: true });
    expect(await content(target)).toHaveLength(2);
    expect(await copy(source, target)).toMatchObject({ outcome: 'equal', appended: 2, hasSourceGrown: false });
  });

  it('copies only the selected streams, in log order, into a target that has other streams', async () => {
    const [source, target] = [newStore(), newStore()];
    const writer = new ChainedWriter(source);
    for (const name of ['order-1', 'order-2', 'delivery-1', 'order-1', 'delivery-1']) await writer.write(stream(name));
    await new ChainedWriter(target).write(stream('order-9'));
    const selection = ['delivery-1', 'order-1', 'order-7'].map(stream);
    expect(await copy(source, target, { selection })).toMatchObject({ outcome: 'equal', appended: 4, inspection: { streams: 2 } });
    expect((await content(target)).map(({ stream: name, revision }) => `${name}@${revision}`)).toStrictEqual([
      'order-9@0',
      'order-1@0',
      'delivery-1@0',
      'order-1@1',
      'delivery-1@1',
    ]);
    expect(await verifyCopy({ source, target, selection, knownCategories: KNOWN, scheduler })).toMatchObject({ outcome: 'equal' });
  });

  it('copies categories of a newer release, and skips but reports streams of another service', async () => {
    const [source, target] = [newStore(), newStore()];
    await new ChainedWriter(source).write(stream('refund-1'), 2);
    const foreign: NewEvent = { id: eventId(stream('x'), 'x', 0), type: 'Theirs', data: '{}', metadata: '{"of":"them"}' };
    await source.append(stream('theirs-1'), 'no_stream', [foreign]);
    const report = await copy(source, target);
    expect(report).toMatchObject({
      outcome: 'equal',
      appended: 2,
      inspection: { leftOut: { streams: 1, events: 1, examples: ['theirs-1'] } },
    });
    expect([...report.inspection.categories]).toStrictEqual([['refund', { streams: 1, events: 2 }]]);
    expect((await content(target)).map(({ stream: name }) => name)).toStrictEqual(['refund-1', 'refund-1']);
  });
});

describe('copyLog refuses and does not change a target', () => {
  const refused = async (prepare: (target: ChainedWriter) => Promise<void>): Promise<CopyReport> => {
    const [source, target] = [newStore(), newStore()];
    const writer = new ChainedWriter(source);
    await writer.write(stream('once-1'), 2);
    await writer.write(stream('order-1'), 3);
    await prepare(new ChainedWriter(target));
    const before = shown(await content(target));
    const report = await copy(source, target);
    expect(report).toMatchObject({ outcome: 'refused', appended: 0 });
    expect(shown(await content(target))).toStrictEqual(before);
    return report;
  };

  it('if a stream has other events under the same ids', async () => {
    const { faults } = await refused((target) => target.write(stream('order-1'), 2, 'request', 'other'));
    expect(faults).toStrictEqual([
      { stream: 'order-1', revision: 0n, kind: 'target-differs', text: 'the target holds another event at revision 0' },
    ]);
  });

  it('if a stream differs from the source at a later revision', async () => {
    const { faults } = await refused(async (target) => {
      await target.write(stream('order-1'), 2);
      await target.write(stream('order-1'), 1, 'another request');
    });
    expect(faults).toMatchObject([{ stream: 'order-1', revision: 2n, kind: 'target-differs' }]);
  });

  it('if a stream is longer than in the source', async () => {
    const { faults } = await refused((target) => target.write(stream('order-1'), 5));
    expect(faults).toMatchObject([{ stream: 'order-1', revision: 3n, kind: 'target-ahead' }]);
  });

  it('if it has streams that the source lacks', async () => {
    const { faults } = await refused((target) => target.write(stream('order-2'), 1));
    expect(faults).toMatchObject([{ stream: 'order-2', kind: 'target-alone' }]);
  });

  it('if the hash chain of a stream is broken', async () => {
    const source = newStore();
    const target = newStore();
    await new ChainedWriter(source).write(stream('order-1'), 3);
    const [first, second] = await collect(source.read(stream('order-1')));
    await target.append(stream('order-1'), 'no_stream', [{ ...(first as NewEvent) }]);
    const metadata = (second as NewEvent).metadata.replace(/"previousHash":"[0-9a-f]{4}/, '"previousHash":"0000');
    await target.append(stream('order-1'), 0n as Revision, [{ ...(second as NewEvent), metadata }]);
    const report = await copy(source, target);
    expect(report).toMatchObject({ outcome: 'refused', faults: [{ stream: 'order-1', revision: 1n, kind: 'target-broken' }] });
  });
});

describe('copyLog with a broken hash chain in the source', () => {
  const broken = async (): Promise<MemoryEventStore> => {
    const source = newStore();
    const writer = new ChainedWriter(source);
    await writer.write(stream('order-1'), 2);
    await writer.write(stream('order-2'), 1);
    const { events } = chainedEvents(stream('order-1'), { revision: 1n as Revision, hash: 'f'.repeat(64) }, 2, 'request', 'forged');
    await source.append(stream('order-1'), 1n as Revision, events);
    await writer.write(stream('order-2'), 1);
    return source;
  };

  it('copies that stream only up to the break, reports its name and revision, and copies the other streams', async () => {
    const [source, target] = [await broken(), newStore()];
    const report = await copy(source, target);
    expect(report).toMatchObject({ outcome: 'differs', phase: 'verify', appended: 4 });
    expect(report.faults).toStrictEqual([
      {
        stream: 'order-1',
        revision: 2n,
        kind: 'source-broken',
        text: 'the source is broken at revision 2: it does not follow from the event before it',
      },
    ]);
    expect((await content(target)).map(({ stream: name, revision }) => `${name}@${revision}`).sort()).toStrictEqual([
      'order-1@0',
      'order-1@1',
      'order-2@0',
      'order-2@1',
    ]);
    expect(await copy(source, target)).toMatchObject({ outcome: 'differs', appended: 0 });
  });

  it('reports a stream whose first events are missing', async () => {
    const source = newStore();
    const { events } = chainedEvents(stream('order-1'), { revision: 6n as Revision, hash: 'f'.repeat(64) }, 1, 'request', 'x');
    await source.append(stream('order-1'), 'no_stream', events);
    expect(await copy(source, newStore())).toMatchObject({ outcome: 'differs', faults: [{ revision: 0n, kind: 'source-broken' }] });
  });
});

class TruncatedStore extends MemoryEventStore {
  override async *read(name: StreamName, from?: Revision): AsyncIterable<StoredEvent> {
    for await (const event of super.read(name, from)) if (event.revision > 0n) yield event;
  }

  override subscribe(...of: Parameters<MemoryEventStore['subscribe']>): Subscription {
    const whole = super.subscribe(...of);
    return {
      cancel: () => whole.cancel(),
      async *[Symbol.asyncIterator]() {
        for await (const item of whole) if (item.kind !== 'event' || item.event.revision > 0n) yield item;
      },
    };
  }
}

describe('verifyCopy', () => {
  const verify = (source: EventStore, target: EventStore) =>
    verifyCopy({ source, target, selection: 'all', knownCategories: KNOWN, scheduler });

  it('reports streams that are shorter, different or only in the target', async () => {
    const [source, target] = [newStore(), newStore()];
    const [ours, theirs] = [new ChainedWriter(source), new ChainedWriter(target)];
    for (const name of ['order-1', 'order-2', 'order-3', 'order-4']) await ours.write(stream(name), 2);
    await theirs.write(stream('order-1'), 2);
    await theirs.write(stream('order-2'), 1);
    await theirs.write(stream('order-3'), 2, 'request', 'other');
    await theirs.write(stream('order-5'), 1);
    const { outcome, faults } = await verify(source, target);
    expect(outcome).toBe('differs');
    expect(Object.fromEntries(faults.map(({ stream: name, text }) => [name, text]))).toStrictEqual({
      'order-2': 'the target ends before revision 1',
      'order-3': 'the target holds another event at revision 0',
      'order-4': 'the target ends before revision 0',
      'order-5': 'the target holds this stream, and the source does not',
    });
  });

  it('reports a source stream whose first event is missing', async () => {
    const source = new TruncatedStore(new VirtualClock());
    await new ChainedWriter(source).write(stream('order-1'), 2);
    const report = await verify(source, newStore());
    expect(report).toMatchObject({ outcome: 'differs', faults: [{ stream: 'order-1', kind: 'source-broken', revision: 1n }] });
    expect(await copy(source, newStore())).toMatchObject({ outcome: 'differs', appended: 0 });
  });

  it('reports two empty logs as equal', async () => {
    expect(await verify(newStore(), newStore())).toMatchObject({ outcome: 'equal', inspection: { streams: 0, events: 0 } });
  });
});

it('copyLog fails with StoreUnavailable after eight refused appends', async () => {
  const [source, memory] = [newStore(), newStore()];
  await new ChainedWriter(source).write(stream('order-1'), 2);
  const target = new StumblingStore(memory).stumble(...Array.from({ length: 50 }, () => ({ kind: 'refused' as const })));
  await expect(copy(source, target)).rejects.toThrow(StoreUnavailable);
  expect(target.appends).toBe(8);
});

it('copyLog reports a difference if another writer appends to the target during the copy', async () => {
  const [source, memory] = [newStore(), newStore()];
  await new ChainedWriter(source).write(stream('order-1'), 2);
  const rival = async (): Promise<void> => new ChainedWriter(memory).write(stream('order-1'), 1, 'request', 'other');
  const target = new StumblingStore(memory).stumble({ kind: 'rival', write: rival });
  const report = await copy(source, target);
  expect(report).toMatchObject({ outcome: 'differs', faults: [{ stream: 'order-1', revision: 0n, kind: 'target-differs' }] });
  expect(await content(memory)).toHaveLength(1);
});
