import { StoreUnavailable, type NewEvent, type Revision, type StreamName } from '@app/event-store';
import type { EventStoreDbEventStoreSettings } from '@app/event-store/stores/eventstoredb';
import { collect, newEvent, newEvents } from '@app/event-store/testing';
import { systemScheduler } from '@app/kernel';
import fc from 'fast-check';
import { codePoint } from '@app/testing/any-text';
import { canonicalize } from 'json-canonicalize';
import { appendedAt, closeAll, connected, nextEvent, openAt, serve, STREAM } from './wire-world';

jest.setTimeout(60_000);
afterEach(closeAll);

describe('a stored event', () => {
  /** A JSON parser moves numeric keys to the front, and a careless one loses `__proto__`. */
  const key = fc.oneof(
    fc.string({ unit: codePoint }),
    fc.constantFrom('__proto__', 'constructor', '10', '9', '-1', '€', '\u0000', '😀', 'ö'),
  );
  const text = fc
    .letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.oneof(
          fc.string({ unit: codePoint }),
          fc.double({ noNaN: true, noDefaultInfinity: true }),
          fc.maxSafeInteger(),
          fc.boolean(),
          fc.constant(null),
        ),
        fc.array(tie('value'), { maxLength: 4 }),
        fc
          .array(fc.tuple(key, tie('value')), { maxLength: 5 })
          .map((entries) =>
            entries.reduce<object>(
              (object, [name, value]) => Object.defineProperty(object, name, { value, enumerable: true, configurable: true }),
              {},
            ),
          ),
      ),
    }))
    .value.map(canonicalize);

  it('returns its texts byte for byte from a read and a subscription, as JSON for other readers', async () => {
    const { server, store } = await connected();
    const subscription = store.subscribe(['text'], 'start');
    const items = subscription[Symbol.asyncIterator]();
    let streams = 0;
    await fc.assert(
      fc.asyncProperty(
        text,
        text,
        fc.string({ unit: codePoint, minLength: 1 }).filter((type) => !type.includes('\0')),
        async (data, metadata, type) => {
          const stream = `text-${++streams}` as StreamName;
          const event: NewEvent = newEvent(stream, { data, metadata, type });
          await store.append(stream, 'no_stream', [event]);
          const [read] = await collect(store.read(stream));
          for (const stored of [read, await nextEvent(items)]) {
            expect({ id: stored?.id, type: stored?.type, data: stored?.data, metadata: stored?.metadata }).toStrictEqual(event);
          }
          const [record] = server.log.eventsOf(stream);
          expect(Buffer.from(record?.data ?? []).equals(Buffer.from(data))).toBe(true);
          expect(record?.contentType).toBe('application/json');
        },
      ),
      {
        numRuns: 100,
        examples: [
          ['{"10":1,"9":2,"__proto__":{"a":[]}}', '{"n":"12345678901234567890123","r":1e-7}', 'T'],
          ['{"a":1,"a":2}', '{ "spaced" : 1.0 }', 'not canonical'],
        ],
      },
    );
    await subscription.cancel();
  }, 60_000);

  it("has the server's time in milliseconds", async () => {
    const server = await serve({ nowMs: () => 1_700_000_000_123 });
    const store = await openAt(server.connectionString);
    await store.append(STREAM, 'no_stream', newEvents('a'));
    const [event] = await collect(store.read(STREAM));
    expect(event?.createdMs).toBe(1_700_000_000_123);
  });
});

describe('a read of the EventStoreDB adapter', () => {
  const filled = async (count: number, more: Partial<EventStoreDbEventStoreSettings> = {}, streamsMax?: number) => {
    const server = await serve({ streamsMax });
    const writer = await openAt(server.connectionString);
    for (let from = 0; from < count; from += 100) {
      const names = Array.from({ length: Math.min(100, count - from) }, (_, index) => `e${from + index}`);
      await writer.append(STREAM, from === 0 ? 'no_stream' : (BigInt(from - 1) as Revision), newEvents(names[0] ?? '', ...names.slice(1)));
    }
    return { server, store: await openAt(server.connectionString, more) };
  };

  it.each(['unavailable', 'hang', 'half-close', 'connection-lost'] as const)('is retried after a fault: %s', async (kind) => {
    const { server, store } = await filled(3);
    server.faults.read({ kind }, { times: 2, of: (stream) => stream === STREAM });
    await expect(collect(store.read(STREAM))).resolves.toHaveLength(3);
    expect(server.faults.pending).toBe(0);
  });

  it('resumes after a broken connection without gaps or duplicates', async () => {
    const { server, store } = await filled(2_000);
    const revisions: bigint[] = [];
    for await (const event of store.read(STREAM)) {
      revisions.push(event.revision);
      if (event.revision === 700n) await server.restart();
    }
    expect(revisions).toStrictEqual(Array.from({ length: 2_000 }, (_, index) => BigInt(index)));
  });

  it('frees its HTTP/2 stream if the reader stops early', async () => {
    const { store } = await filled(1_500, {}, 12);
    for (let time = 0; time < 15; time++) for await (const event of store.read(STREAM)) if (event.revision >= 0n) break;
    await expect(store.append(STREAM, 1_499n as Revision, newEvents('last'))).resolves.toStrictEqual(appendedAt(1_500));
  }, 30_000);

  it('fails at its time limit if the server is silent', async () => {
    const { server, store } = await filled(1, { attemptMs: 300, limitMs: 1_000 });
    server.freeze();
    await expect(collect(store.read(STREAM))).rejects.toThrow(
      new StoreUnavailable(`${STREAM}: event store 127.0.0.1:${server.address.port}: it says nothing for 1000 ms`),
    );
    await expect(store.head()).rejects.toThrow(StoreUnavailable);
    server.thaw();
    await expect(collect(store.read(STREAM))).resolves.toHaveLength(1);
  });

  it("excludes the reader's own time from its time limit", async () => {
    const { store } = await filled(1_500, { attemptMs: 1_000, limitMs: 2_000 });
    let count = 0;
    for await (const event of store.read(STREAM)) {
      count += 1;
      if (event.revision === 3n) await new Promise((resolve) => systemScheduler.after(2_500, () => resolve(undefined)));
    }
    expect(count).toBe(1_500);
  });
});
