import {
  EventRefused,
  OutcomeUnknown,
  StoreUnavailable,
  SubscriptionRunner,
  type NewEvent,
  type Position,
  type ProjectionStore,
  type Revision,
  type StoredEvent,
  type StreamName,
  type SubscriptionItem,
} from '@app/event-store';
import { EventStoreDbEventStore, type EventStoreDbEventStoreSettings } from '@app/event-store/stores/eventstoredb';
import { collect, idOf, newEvent, newEvents } from '@app/event-store/testing';
import { WireServer, type AppendFault } from '../fakes/eventstoredb';
import { systemClock, systemScheduler, type NonEmpty, type Scheduler } from '@app/kernel';
import fc from 'fast-check';
import { codePoint } from '@app/testing/any-text';
import { canonicalize } from 'json-canonicalize';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { until } from '../support/until';

const ATTEMPT_MS = 300;
/** The default limit, long enough for a busy machine. */
const LIMIT_MS = 15_000;
const WATCH_MS = 40;
jest.setTimeout(60_000);
const STREAM = 'order-1' as StreamName;

const servers: WireServer[] = [];
const stores: EventStoreDbEventStore[] = [];
const serve = async (settings?: Parameters<typeof WireServer.start>[0]): Promise<WireServer> => {
  const server = await WireServer.start(settings);
  servers.push(server);
  return server;
};
const openAt = async (url: string, more: Partial<EventStoreDbEventStoreSettings> = {}): Promise<EventStoreDbEventStore> => {
  const store = await EventStoreDbEventStore.open({
    url,
    scheduler: systemScheduler,
    attemptMs: ATTEMPT_MS,
    limitMs: LIMIT_MS,
    watchMs: WATCH_MS,
    ...more,
  });
  stores.push(store);
  return store;
};
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  await Promise.all(servers.splice(0).map((server) => server.kill()));
});
const connected = async (more: Partial<EventStoreDbEventStoreSettings> = {}) => {
  const server = await serve();
  return { server, store: await openAt(server.connectionString, more) };
};
const storedIn = (server: WireServer, stream: StreamName = STREAM): readonly string[] => server.log.eventsOf(stream).map(({ id }) => id);
const appendedAt = (revision: number) => ({ kind: 'appended', revision: BigInt(revision) });

/** Collects the items of a subscription. */
const follow = (subscription: AsyncIterable<SubscriptionItem>) => {
  const seen = { items: [] as SubscriptionItem[], error: undefined as Error | undefined };
  const done = (async () => {
    try {
      for await (const item of subscription) seen.items.push(item);
    } catch (error) {
      seen.error = error as Error;
    }
  })();
  const kinds = (): readonly string[] =>
    seen.items.map((item) => (item.kind === 'event' ? `${item.event.stream}@${item.event.revision}` : item.kind));
  return { seen, done, kinds };
};

/** Forwards bytes until it is made silent: existing connections then get nothing more, and new ones are served. */
class SilentProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  connections = 0;

  private constructor(port: number) {
    this.#server = createServer((socket) => {
      const other = connect(port, '127.0.0.1');
      this.connections += 1;
      for (const each of [socket, other]) {
        this.#sockets.add(each);
        each.on('error', () => undefined);
      }
      socket.pipe(other);
      other.pipe(socket);
    });
  }

  static async to(port: number): Promise<SilentProxy> {
    const proxy = new SilentProxy(port);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  silence(): void {
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

describe('an append of the EventStoreDB adapter', () => {
  const faults: readonly (readonly [name: string, fault: AppendFault])[] = [
    ['refused while the server is not ready', { kind: 'unavailable' }],
    ['stored, its quorum late', { kind: 'commit-timeout' }],
    ['stored, never answered', { kind: 'hang', isStored: true }],
    ['not stored, never answered', { kind: 'hang', isStored: false }],
    ['stored, the call ended without a status', { kind: 'half-close', isStored: true }],
    ['not stored, the call ended without a status', { kind: 'half-close', isStored: false }],
    ['stored, the connection lost', { kind: 'connection-lost', isStored: true }],
    ['not stored, the connection lost', { kind: 'connection-lost', isStored: false }],
  ];
  it.each(faults)('is retried with the same ids and stored once: %s', async (_, fault) => {
    const { server, store } = await connected();
    server.faults.append(fault, { times: 3 });
    await expect(store.append(STREAM, 'no_stream', newEvents('a', 'b'))).resolves.toStrictEqual(appendedAt(1));
    expect(server.faults.pending).toBe(0);
    expect(storedIn(server)).toStrictEqual([idOf('a'), idOf('b')]);
  });

  it.each(faults)('reports at its limit whether it may be stored: %s', async (_, fault) => {
    const { server, store } = await connected({ limitMs: 800 });
    server.faults.append(fault, { times: 10_000 });
    const isUntouched = fault.kind === 'unavailable';
    await expect(store.append(STREAM, 'no_stream', newEvents('a'))).rejects.toThrow(isUntouched ? StoreUnavailable : OutcomeUnknown);
    server.faults.clear();
    await expect(store.append(STREAM, 'no_stream', newEvents('a'))).resolves.toStrictEqual(appendedAt(0));
    expect(storedIn(server)).toStrictEqual([idOf('a')]);
  });

  it('reports correct outcomes under random faults, and is stored at most once', async () => {
    const { server, store } = await connected({ attemptMs: 40, limitMs: 250 });
    // The duration is not tested here, since a busy machine may need longer.
    const patient = await openAt(server.connectionString);
    const quick = faults.map(([, fault]) => fault);
    const runs = fc.array(fc.record({ fault: fc.constantFrom(...quick), times: fc.constantFrom(1, 1, 2, 50) }), { maxLength: 4 });
    let streams = 0;
    const outcomes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(runs, fc.integer({ min: 1, max: 3 }), async (run, size) => {
        const stream = `order-${++streams}` as StreamName;
        const [first = '', ...rest] = Array.from({ length: size }, (_, index) => `${stream}-${index}`);
        const events = newEvents(first, ...rest);
        for (const { fault, times } of run) server.faults.append(fault, { times, of: (name) => name === stream });
        const outcome = await store.append(stream, 'no_stream', events).then(
          ({ kind }) => kind,
          (error: unknown) => (error as Error).name,
        );
        outcomes.add(outcome);
        server.faults.clear();
        const ids = events.map(({ id }) => id as string);
        if (outcome === 'StoreUnavailable') expect(storedIn(server, stream)).toStrictEqual([]);
        else if (outcome === 'appended') expect(storedIn(server, stream)).toStrictEqual(ids);
        else expect(outcome).toBe('OutcomeUnknown');
        await expect(patient.append(stream, 'no_stream', events)).resolves.toStrictEqual(appendedAt(size - 1));
        expect(storedIn(server, stream)).toStrictEqual(ids);
      }),
      { numRuns: 40 },
    );
    expect([...outcomes]).toContain('appended');
  }, 60_000);

  it('ends at its limit where each attempt hangs', async () => {
    const { server, store } = await connected({ limitMs: 700 });
    server.freeze();
    const startedAt = performance.now();
    await expect(store.append(STREAM, 'no_stream', newEvents('a'))).rejects.toThrow(OutcomeUnknown);
    expect(performance.now() - startedAt).toBeLessThan(1_200);
    server.thaw();
  });

  it('has an unknown outcome where one attempt was lost and the next ones were refused', async () => {
    const { server, store } = await connected({ limitMs: 600 });
    server.faults.append({ kind: 'connection-lost', isStored: true });
    server.faults.append({ kind: 'unavailable' }, { times: 10_000 });
    await expect(store.append(STREAM, 'no_stream', newEvents('a'))).rejects.toThrow(OutcomeUnknown);
  });

  it('is surely not stored while no server listens, and succeeds when the server is back', async () => {
    const { server, store } = await connected({ limitMs: 1_000 });
    await server.kill();
    await expect(store.head()).rejects.toThrow('nothing listens there');
    await expect(store.append(STREAM, 'no_stream', newEvents('a'))).rejects.toThrow(
      new StoreUnavailable(`${STREAM}: event store 127.0.0.1:${server.address.port}: nothing listens there (connection refused)`),
    );
    await server.start();
    await expect(store.append(STREAM, 'no_stream', newEvents('a'))).resolves.toStrictEqual(appendedAt(0));
  });

  it('waits for a server that starts again, within its limit', async () => {
    const { server, store } = await connected();
    await server.kill();
    const answer = store.append(STREAM, 'no_stream', newEvents('a'));
    await server.start();
    await expect(answer).resolves.toStrictEqual(appendedAt(0));
  });

  it('reconnects where its connection was cut silently', async () => {
    const server = await serve();
    const proxy = await SilentProxy.to(server.address.port);
    const store = await openAt(`esdb://127.0.0.1:${proxy.port}?tls=false`);
    await expect(store.append(STREAM, 'no_stream', newEvents('a'))).resolves.toStrictEqual(appendedAt(0));
    proxy.silence();
    await expect(store.append(STREAM, 0n as Revision, newEvents('b'))).resolves.toStrictEqual(appendedAt(1));
    proxy.silence();
    await expect(collect(store.read(STREAM))).resolves.toHaveLength(2);
    // The client's keep-alive would notice after 20 s: longer than the limit.
    expect(proxy.connections).toBeGreaterThanOrEqual(3);
    await store.close();
    proxy.close();
  });

  it('goes to the leader that the server names', async () => {
    const leader = await serve();
    const follower = await serve({ leader });
    const store = await openAt(follower.connectionString);
    await expect(store.append(STREAM, 'no_stream', newEvents('a'))).resolves.toStrictEqual(appendedAt(0));
    leader.faults.append({ kind: 'not-leader', leader: follower.address });
    await expect(store.append(STREAM, 0n as Revision, newEvents('b'))).resolves.toStrictEqual(appendedAt(1));
    await expect(collect(store.read(STREAM))).resolves.toHaveLength(2);
  });

  it('survives an outage longer than the discovery’s retries, and sends no abandoned append', async () => {
    const server = await serve();
    const store = await openAt(`${server.discoveryConnectionString}&maxDiscoverAttempts=3&discoveryInterval=20`, { limitMs: 1_000 });
    await expect(store.append(STREAM, 'no_stream', newEvents('a'))).resolves.toStrictEqual(appendedAt(0));
    server.faults.isDiscoveryDown = true;
    await server.restart();
    const refused = Array.from({ length: 5 }, (_, index) => store.append(`other-${index}` as StreamName, 'no_stream', newEvents('a')));
    for (const append of refused) await expect(append).rejects.toThrow('no node of the cluster that may be used was found');
    server.faults.isDiscoveryDown = false;
    await expect(store.append(STREAM, 0n as Revision, newEvents('b'))).resolves.toStrictEqual(appendedAt(1));
    await expect(collect(store.read(STREAM))).resolves.toHaveLength(2);
    expect(server.log.length).toBe(2);
  });

  it('is a conflict or a success by the stored events, never by the adapter’s memory', async () => {
    const { server, store } = await connected();
    server.faults.append({ kind: 'hang', isStored: false });
    const late = store.append(STREAM, 'no_stream', newEvents('mine'));
    await expect(store.append(STREAM, 'no_stream', newEvents('rival'))).resolves.toStrictEqual(appendedAt(0));
    await expect(late).resolves.toStrictEqual({ kind: 'conflict', actual: 0n });
    expect(storedIn(server)).toStrictEqual([idOf('rival')]);
  });

  it('runs more often concurrently than a connection has streams, beside subscriptions', async () => {
    const { server, store } = await connected({ attemptMs: 10_000 });
    const subscriptions = Array.from({ length: 15 }, () => store.subscribe(['order'], 'start'));
    const followed = subscriptions.map(follow);
    await until(() => followed.every(({ kinds }) => kinds().includes('caught-up')), { what: 'all subscriptions' });
    expect(() => store.subscribe(['order'], 'start')).toThrow('more than 15 subscriptions');
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, index) => store.append(`order-x${index}` as StreamName, 'no_stream', newEvents(`${index}`))),
    );
    expect(answers.every(({ kind }) => kind === 'appended')).toBe(true);
    expect(server.log.length).toBe(300);
    await Promise.all(subscriptions.map((subscription) => subscription.cancel()));
    await expect(collect(store.read('order-x0' as StreamName))).resolves.toHaveLength(1);
  });

  it('is finished before the store is closed, retries included', async () => {
    const { server, store } = await connected();
    server.faults.append({ kind: 'connection-lost', isStored: true });
    const answer = store.append(STREAM, 'no_stream', newEvents('a'));
    await store.close();
    await expect(answer).resolves.toStrictEqual(appendedAt(0));
    expect(storedIn(server)).toStrictEqual([idOf('a')]);
  });

  it('beyond a limit of the port never reaches the server', async () => {
    const { server, store } = await connected();
    await expect(store.append(STREAM, 'no_stream', [newEvent('a', { metadata: `"${'x'.repeat(20_000)}"` })])).rejects.toThrow(EventRefused);
    expect(server.log.length).toBe(0);
  });
});

const nextEvent = async (items: AsyncIterator<SubscriptionItem>): Promise<StoredEvent | undefined> => {
  for (;;) {
    const { done, value } = (await items.next()) as IteratorResult<SubscriptionItem, undefined>;
    if (done === true) return undefined;
    if (value.kind === 'event') return value.event;
  }
};

describe('the texts of an event', () => {
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

  it('are returned unchanged to the byte by a read and a subscription, and are JSON for other readers', async () => {
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
        numRuns: 300,
        examples: [
          ['{"10":1,"9":2,"__proto__":{"a":[]}}', '{"n":"12345678901234567890123","r":1e-7}', 'T'],
          ['{"a":1,"a":2}', '{ "spaced" : 1.0 }', 'not canonical'],
        ],
      },
    );
    await subscription.cancel();
  }, 60_000);

  it('keep the time of the server, in ms', async () => {
    const server = await serve({ nowMs: () => 1_700_000_000_123 });
    const store = await openAt(server.connectionString);
    await store.append(STREAM, 'no_stream', newEvents('a'));
    const [event] = await collect(store.read(STREAM));
    expect(event?.createdMs).toBe(1_700_000_000_123);
  });
});

describe('a read of the EventStoreDB adapter', () => {
  const filled = async (count: number, more: Partial<EventStoreDbEventStoreSettings> = {}) => {
    const { server, store } = await connected(more);
    for (let from = 0; from < count; from += 100) {
      const names = Array.from({ length: Math.min(100, count - from) }, (_, index) => `e${from + index}`);
      await store.append(STREAM, from === 0 ? 'no_stream' : (BigInt(from - 1) as Revision), newEvents(names[0] ?? '', ...names.slice(1)));
    }
    return { server, store };
  };

  it.each(['unavailable', 'hang', 'half-close', 'connection-lost'] as const)('is retried: %s', async (kind) => {
    const { server, store } = await filled(3);
    server.faults.read({ kind }, { times: 2, of: (stream) => stream === STREAM });
    await expect(collect(store.read(STREAM))).resolves.toHaveLength(3);
    expect(server.faults.pending).toBe(0);
  });

  it('continues after a broken connection without gaps or duplicates', async () => {
    const { server, store } = await filled(2_000);
    const revisions: bigint[] = [];
    for await (const event of store.read(STREAM)) {
      revisions.push(event.revision);
      if (event.revision === 700n) await server.restart();
    }
    expect(revisions).toStrictEqual(Array.from({ length: 2_000 }, (_, index) => BigInt(index)));
  });

  it('frees its HTTP/2 stream whenever the reader stops early', async () => {
    const { store } = await filled(1_500);
    for (let time = 0; time < 110; time++) for await (const event of store.read(STREAM)) if (event.revision >= 0n) break;
    await expect(store.append(STREAM, 1_499n as Revision, newEvents('last'))).resolves.toStrictEqual(appendedAt(1_500));
  }, 30_000);

  it('ends at its limit with an error where the server is silent', async () => {
    const { server, store } = await filled(1, { attemptMs: 300, limitMs: 1_000 });
    server.freeze();
    await expect(collect(store.read(STREAM))).rejects.toThrow(
      new StoreUnavailable(`${STREAM}: event store 127.0.0.1:${server.address.port}: it says nothing for 300 ms`),
    );
    await expect(store.head()).rejects.toThrow(StoreUnavailable);
    server.thaw();
    await expect(collect(store.read(STREAM))).resolves.toHaveLength(1);
  });

  it('does not count its reader’s time towards the limit', async () => {
    const { store } = await filled(1_500, { attemptMs: 600, limitMs: 1_000 });
    let count = 0;
    for await (const event of store.read(STREAM)) {
      count += 1;
      if (event.revision === 3n) await new Promise((resolve) => systemScheduler.after(1_500, () => resolve(undefined)));
    }
    expect(count).toBe(1_500);
  });
});

describe('a subscription of the EventStoreDB adapter', () => {
  const faults = ['too-slow', 'too-slow-for-live', 'unavailable', 'half-close', 'connection-lost'] as const;
  it.each(faults)('delivers the received events and ends as unavailable, and the next one continues: %s', async (kind) => {
    const { server, store } = await connected();
    const names = Array.from({ length: 60 }, (_, index) => `n${index}`);
    await store.append(STREAM, 'no_stream', newEvents('first', ...names));
    server.faults.subscription({ kind, afterEvents: 40 });
    server.faults.repeatOnResume(5);
    const seen: StoredEvent[] = [];
    const errors: Error[] = [];
    while (seen.length < 61) {
      const { seen: session, done } = follow(store.subscribe(['order'], seen.at(-1)?.position ?? 'start'));
      if (errors.length === 0) await done;
      else
        await until(() => session.items.filter((item) => item.kind === 'event').length + seen.length >= 61 || session.error !== undefined, {
          what: 'the rest',
        });
      seen.push(...session.items.flatMap((item) => (item.kind === 'event' ? [item.event] : [])));
      if (session.error !== undefined) errors.push(session.error);
      if (errors.length > 5) throw errors[0] as Error;
    }
    expect(errors).toHaveLength(1);
    expect(errors[0]).toBeInstanceOf(StoreUnavailable);
    expect(seen.map(({ revision }) => revision)).toStrictEqual(Array.from({ length: 61 }, (_, index) => BigInt(index)));
  });

  it('delivers each event once where it is often dropped during catch-up, at its end and while live', async () => {
    const { server, store } = await connected();
    const count = 300;
    const drops = 12;
    for (let drop = 0; drop < drops; drop++) {
      server.faults.subscription({ kind: drop % 3 === 0 ? 'too-slow' : 'too-slow-for-live', afterEvents: drop % 4 === 0 ? 0 : 2 * drop });
    }
    const write = async (): Promise<void> => {
      for (let index = 0; index < count; index++) {
        await store.append(STREAM, index === 0 ? 'no_stream' : (BigInt(index - 1) as Revision), newEvents(`n${index}`));
      }
    };
    const revisions: bigint[] = [];
    const causes: string[] = [];
    const read = async (): Promise<void> => {
      let after: Position | 'start' = 'start';
      while (revisions.length < count) {
        try {
          for await (const item of store.subscribe(['order'], after)) {
            if (item.kind === 'caught-up') continue;
            after = item.kind === 'event' ? item.event.position : item.position;
            if (item.kind === 'event' && revisions.push(item.event.revision) >= count) break;
          }
        } catch (error) {
          if (!(error instanceof StoreUnavailable)) throw error;
          causes.push(error.message);
        }
      }
    };
    await Promise.all([write(), read()]);
    expect(revisions).toStrictEqual(Array.from({ length: count }, (_, index) => BigInt(index)));
    expect(server.faults.pending).toBe(0);
    expect(causes.filter((cause) => cause.includes('while transitioning to live')).length).toBeGreaterThanOrEqual(8);
  });

  it('is refused with a malformed start position', async () => {
    const { store } = await connected();
    await store.append(STREAM, 'no_stream', newEvents('a'));
    const head = await store.head();
    const off = head.replace(/^\d+/, (commit) => String(BigInt(commit) + 1n)) as Position;
    const { seen, done } = follow(store.subscribe(['order'], off));
    await done;
    expect(seen.error).toBeInstanceOf(StoreUnavailable);
    const foreign = follow(store.subscribe(['order'], '17' as Position));
    await foreign.done;
    expect(foreign.seen.error?.message).toContain('no position of an EventStoreDB log');
  });

  it('is not dropped for a slow reader during catch-up', async () => {
    const { store } = await connected();
    const filling = 'x'.repeat(2_000);
    for (let batch = 0; batch < 60; batch++) {
      const events = Array.from({ length: 100 }, (_, index) => newEvent(`${batch}-${index}`, { data: `{"x":"${filling}"}` }));
      await store.append(`order-${batch}` as StreamName, 'no_stream', events as unknown as NonEmpty<NewEvent>);
    }
    let count = 0;
    for await (const item of store.subscribe(['order'], 'start')) {
      if (item.kind === 'caught-up') break;
      if (item.kind !== 'event') continue;
      count += 1;
      if (count === 10) await new Promise((resolve) => systemScheduler.after(300, () => resolve(undefined)));
    }
    expect(count).toBe(6_000);
  }, 30_000);

  describe('on a log that others write to', () => {
    it('moves its checkpoint to the head although the server reports none, and never beyond an undelivered event', async () => {
      const { server, store } = await connected();
      const { kinds, seen } = follow(store.subscribe(['order'], 'start'));
      await until(() => kinds().includes('caught-up'), { what: 'caught up' });
      for (let index = 0; index < 7; index++) {
        await store.append(`foreign-${index}` as StreamName, 'no_stream', newEvents(`f${index}`));
        const head = await store.head();
        await until(() => seen.items.at(-1)?.kind === 'checkpoint' && (seen.items.at(-1) as { position: Position }).position === head, {
          what: `a checkpoint after foreign event ${index}`,
        });
        await store.append(`order-${index}` as StreamName, 'no_stream', newEvents(`o${index}`));
        await until(() => kinds().at(-1) === `order-${index}@0`, { what: `event ${index}` });
      }
      const positions = seen.items.flatMap((item) =>
        item.kind === 'event' ? [item.event.position] : item.kind === 'checkpoint' ? [item.position] : [],
      );
      for (const [index, position] of positions.slice(1).entries()) {
        expect(store.comparePositions(positions[index] as Position, position)).toBeLessThan(0);
      }
      expect(server.log.length).toBe(14);
    });

    it('begins with a checkpoint at the head where there are no past events of its categories', async () => {
      const { store } = await connected();
      await store.append('foreign-1' as StreamName, 'no_stream', newEvents('a', 'b'));
      const { kinds, seen } = follow(store.subscribe(['order'], 'start'));
      await until(() => kinds().includes('caught-up'), { what: 'caught up' });
      expect(seen.items).toStrictEqual([{ kind: 'checkpoint', position: await store.head() }, { kind: 'caught-up' }]);
    });

    it('ends where the server withholds an event from it, and continues otherwise', async () => {
      const { server, store } = await connected();
      server.faults.subscription({ kind: 'silence', afterEvents: 1 });
      const { kinds, seen, done } = follow(store.subscribe(['order'], 'start'));
      await store.append(STREAM, 'no_stream', newEvents('a'));
      await until(() => kinds().length >= 1, { what: 'the first event' });
      await store.append(STREAM, 0n as Revision, newEvents('b'));
      await done;
      expect(seen.error?.message).toMatch(/a subscription is dead: (?:an event at \d+\/\d+ was not delivered|it says nothing)$/);
    });

    it('keeps the runner of a projection at the head in one session', async () => {
      const { store } = await connected();
      let sessions = 0;
      const counted = Object.assign(Object.create(store) as EventStoreDbEventStore, {
        subscribe: (...given: Parameters<EventStoreDbEventStore['subscribe']>) => {
          sessions += 1;
          return store.subscribe(...given);
        },
        head: () => store.head(),
        comparePositions: (a: Position, b: Position) => store.comparePositions(a, b),
      });
      const applied: string[] = [];
      let at: Position | undefined;
      const projection: ProjectionStore = {
        position: async () => at,
        parked: async () => [],
        park: async () => undefined,
        apply: async (batch, upTo) => {
          applied.push(...batch.map(({ stream }) => stream));
          at = upTo;
        },
      };
      // The clock runs ten times as fast, so that half a minute takes three seconds.
      const quick: Scheduler = { after: (delayMs, run) => systemScheduler.after(delayMs / 10, run) };
      const clock = { now: () => (systemClock.now() * 10) as ReturnType<typeof systemClock.now> };
      const runner = new SubscriptionRunner({ store: counted, categories: ['order'], projection, clock, scheduler: quick });
      runner.start();
      await runner.caughtUp();
      await store.append(STREAM, 'no_stream', newEvents('a'));
      const behind: unknown[] = [];
      for (let index = 0; index < 40; index++) {
        await store.append(`foreign-${index}` as StreamName, 'no_stream', newEvents(`f${index}`));
        const head = await store.head();
        await until(() => at !== undefined && store.comparePositions(at, head) >= 0, { what: 'the checkpoint at the head' });
        behind.push(runner.health().behindSince);
      }
      await until(() => runner.health().behindSince === undefined, { what: 'a watch that sees it at the head' });
      expect(applied).toStrictEqual([STREAM]);
      expect(sessions).toBe(1);
      expect(runner.health()).toMatchObject({ status: 'live', lastError: undefined });
      await runner.stop();
    }, 30_000);
  });
});

describe('opening the EventStoreDB adapter', () => {
  const failure = async (url: string): Promise<Error> => {
    const error = await openAt(url, { limitMs: 400 }).then(
      () => new Error('opened'),
      (refused: unknown) => refused as Error,
    );
    expect(error.message).not.toContain('hunter2');
    expect(error.message).not.toContain('\n');
    return error;
  };

  it('reports in one line a closed port, an unknown name and a missing cluster', async () => {
    const server = await serve();
    const { port } = server.address;
    await server.kill();
    const refused = new StoreUnavailable(`event store 127.0.0.1:${port}: nothing listens there (connection refused)`);
    await expect(failure(`esdb://user:hunter2@127.0.0.1:${port}?tls=false`)).resolves.toStrictEqual(refused);
    const unknown = await failure('esdb://user:hunter2@no-such-host.invalid:2113?tls=false');
    expect(unknown).toStrictEqual(new StoreUnavailable('event store no-such-host.invalid:2113: its name is not known'));
    const lost = await failure(`esdb+discover://user:hunter2@127.0.0.1:${port}?tls=false&maxDiscoverAttempts=2&discoveryInterval=10`);
    expect(lost).toStrictEqual(new StoreUnavailable(`event store 127.0.0.1:${port}: no node of the cluster that may be used was found`));
  });

  it('reports at once a server without TLS', async () => {
    const { port } = (await serve()).address;
    const startedAt = performance.now();
    const error = await openAt(`esdb://user:hunter2@127.0.0.1:${port}`, { limitMs: 20_000 }).catch((refused: unknown) => refused);
    expect(error).toStrictEqual(
      new StoreUnavailable(`event store 127.0.0.1:${port}: it answers without TLS: add tls=false, or give it a certificate`),
    );
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('reports a server that is not EventStoreDB', async () => {
    const other: Server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const error = await failure(`esdb://user:hunter2@127.0.0.1:${port}?tls=false`);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(error.message).toMatch(new RegExp(`^event store 127.0.0.1:${port}: .+`));
    other.close();
  });

  it('refuses to run where the client would print what it sends', async () => {
    const before = process.env.DEBUG;
    process.env.DEBUG = 'app,esdb:*';
    try {
      expect((await failure('esdb://user:hunter2@127.0.0.1?tls=false')).message).toContain('DEBUG names esdb');
    } finally {
      if (before === undefined) delete process.env.DEBUG;
      else process.env.DEBUG = before;
    }
  });
});
