import { EventRefused, OutcomeUnknown, StoreUnavailable, type Revision, type StreamName } from '@app/event-store';
import { collect, idOf, newEvent, newEvents } from '@app/event-store/testing';
import { stopwatch } from '@app/testing';
import type { AppendFault } from '../../fakes/eventstoredb';
import { systemScheduler } from '@app/kernel';
import fc from 'fast-check';
import { until } from '../../support/until';
import { SilentProxy } from './silent-proxy';
import { appendedAt, closeAll, connected, follow, openAt, serve, storedIn, STREAM } from './wire-world';

jest.setTimeout(60_000);
afterEach(closeAll);

const OPENINGS_MAX = 50;
const openedOnceInTime = async <Store>(open: () => Promise<Store>, tries = 1): Promise<Store> => {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof StoreUnavailable) || tries === OPENINGS_MAX) throw error;
    return openedOnceInTime(open, tries + 1);
  }
};

const APPENDS_MAX = 10;
/** Appends again if the last attempt had too little time for a busy machine: "may be stored" is then right, and says nothing of the fault. */
const untouchedInTime = async (append: () => Promise<unknown>, tries = 1): Promise<unknown> => {
  const outcome = await append().catch((error: unknown) => error);
  const isLate = outcome instanceof OutcomeUnknown && outcome.message.includes('Deadline exceeded after');
  return isLate && tries < APPENDS_MAX ? untouchedInTime(append, tries + 1) : outcome;
};

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

  it.each(faults)('reports at its time limit whether it may be stored: %s', async (_, fault) => {
    const { server, store } = await connected({ limitMs: 800 });
    server.faults.append(fault, { times: 10_000 });
    const append = () => store.append(STREAM, 'no_stream', newEvents('a'));
    if (fault.kind === 'unavailable') expect(await untouchedInTime(append)).toBeInstanceOf(StoreUnavailable);
    else await expect(append()).rejects.toThrow(OutcomeUnknown);
    server.faults.clear();
    await expect(store.append(STREAM, 'no_stream', newEvents('a'))).resolves.toStrictEqual(appendedAt(0));
    expect(storedIn(server)).toStrictEqual([idOf('a')]);
  });

  it('reports correct outcomes under random faults, and is stored at most once', async () => {
    const server = await serve();
    // A busy machine may need longer than an attempt to open or the append limit; that is not tested here.
    const store = await openedOnceInTime(() => openAt(server.connectionString, { attemptMs: 40, limitMs: 250 }));
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

  it('ends at its time limit if every attempt hangs', async () => {
    const { server, store } = await connected({ limitMs: 700 });
    server.freeze();
    const since = stopwatch();
    await expect(store.append(STREAM, 'no_stream', newEvents('a'))).rejects.toThrow(OutcomeUnknown);
    expect(since.stop()).toBeLessThan(1_200);
    server.thaw();
  });

  it('has an unknown outcome if one attempt was lost and the following ones were refused', async () => {
    const { server, store } = await connected({ limitMs: 600 });
    server.faults.append({ kind: 'connection-lost', isStored: true });
    server.faults.append({ kind: 'unavailable' }, { times: 10_000 });
    await expect(store.append(STREAM, 'no_stream', newEvents('a'))).rejects.toThrow(OutcomeUnknown);
  });

  it('reports that nothing was stored while no server listens, and succeeds once the server is back', async () => {
    const { server, store } = await connected({ limitMs: 1_000 });
    await server.kill();
    await expect(store.head()).rejects.toThrow('nothing listens there');
    await expect(store.append(STREAM, 'no_stream', newEvents('a'))).rejects.toThrow(
      new StoreUnavailable(`${STREAM}: event store 127.0.0.1:${server.address.port}: nothing listens there (connection refused)`),
    );
    await server.start();
    await expect(store.append(STREAM, 'no_stream', newEvents('a'))).resolves.toStrictEqual(appendedAt(0));
  });

  it('waits for a restarting server within its time limit', async () => {
    const { server, store } = await connected();
    await server.kill();
    const answer = store.append(STREAM, 'no_stream', newEvents('a'));
    await server.start();
    await expect(answer).resolves.toStrictEqual(appendedAt(0));
  });

  it('reconnects if its connection was silently dropped', async () => {
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

  describe('while nothing is answered', () => {
    const WRITERS = 12;
    const streamOf = (writer: number) => `order-w${writer}` as StreamName;
    const proxied = async () => {
      const server = await serve();
      const proxy = await SilentProxy.to(server.address.port);
      proxies.push(proxy);
      const store = await openAt(`esdb://127.0.0.1:${proxy.port}?tls=false`, { attemptMs: 100 });
      const write = () =>
        Promise.all(Array.from({ length: WRITERS }, (_, writer) => store.append(streamOf(writer), 'no_stream', newEvents('a'))));
      const assertStoredOnce = async (writing: ReturnType<typeof write>): Promise<void> => {
        await expect(writing).resolves.toStrictEqual(Array.from({ length: WRITERS }, () => appendedAt(0)));
        for (let writer = 0; writer < WRITERS; writer++) expect(storedIn(server, streamOf(writer))).toStrictEqual([idOf('a')]);
        await expect(store.append(STREAM, 'no_stream', newEvents('after'))).resolves.toStrictEqual(appendedAt(0));
      };
      return { server, proxy, store, write, assertStoredOnce };
    };
    const proxies: SilentProxy[] = [];
    afterEach(() => {
      for (const proxy of proxies.splice(0)) proxy.close();
    });
    const waited = (ms: number) => new Promise<void>((resolve) => systemScheduler.after(ms, resolve));

    it('keeps its connection as long as it answers pings, and every writer continues once the server does', async () => {
      const { server, proxy, write, assertStoredOnce } = await proxied();
      server.freeze();
      const writing = write();
      await waited(1_500);
      server.thaw();
      await assertStoredOnce(writing);
      expect(proxy.connections).toBe(1);
    });

    it('keeps the connection of the others if one call is never answered', async () => {
      const { server, proxy, store, write, assertStoredOnce } = await proxied();
      server.faults.append({ kind: 'hang', isStored: true }, { times: 4 });
      await expect(store.append('order-lost' as StreamName, 'no_stream', newEvents('a'))).resolves.toStrictEqual(appendedAt(0));
      await assertStoredOnce(write());
      expect(proxy.connections).toBe(1);
    });

    it('makes few new connections to a server that accepts them only, and every writer continues once it answers', async () => {
      const { proxy, write, assertStoredOnce } = await proxied();
      proxy.hold();
      const writing = write();
      await waited(2_500);
      // One with every late attempt would be about 25.
      expect(proxy.connections).toBeGreaterThanOrEqual(2);
      expect(proxy.connections).toBeLessThanOrEqual(8);
      proxy.release();
      await assertStoredOnce(writing);
    });
  });

  it('is redirected to the leader that the server names', async () => {
    const leader = await serve();
    const follower = await serve({ leader });
    const store = await openAt(follower.connectionString);
    await expect(store.append(STREAM, 'no_stream', newEvents('a'))).resolves.toStrictEqual(appendedAt(0));
    leader.faults.append({ kind: 'not-leader', leader: follower.address });
    await expect(store.append(STREAM, 0n as Revision, newEvents('b'))).resolves.toStrictEqual(appendedAt(1));
    await expect(collect(store.read(STREAM))).resolves.toHaveLength(2);
  });

  it('survives an outage longer than the discovery retries without sending abandoned appends', async () => {
    const server = await serve();
    const store = await openAt(`${server.discoveryConnectionString}&maxDiscoverAttempts=3&discoveryInterval=20`, { limitMs: 1_000 });
    await expect(store.append(STREAM, 'no_stream', newEvents('a'))).resolves.toStrictEqual(appendedAt(0));
    server.faults.isDiscoveryDown = true;
    await server.restart();
    const refused = Array.from({ length: 5 }, (_, index) => store.append(`other-${index}` as StreamName, 'no_stream', newEvents('a')));
    for (const append of refused) await expect(append).rejects.toThrow('no usable node of the cluster was found');
    server.faults.isDiscoveryDown = false;
    await expect(store.append(STREAM, 0n as Revision, newEvents('b'))).resolves.toStrictEqual(appendedAt(1));
    await expect(collect(store.read(STREAM))).resolves.toHaveLength(2);
    expect(server.log.length).toBe(2);
  });

  it("takes conflict or success from the stored events, not from the adapter's memory", async () => {
    const { server, store } = await connected();
    server.faults.append({ kind: 'hang', isStored: false });
    const late = store.append(STREAM, 'no_stream', newEvents('mine'));
    await expect(store.append(STREAM, 'no_stream', newEvents('rival'))).resolves.toStrictEqual(appendedAt(0));
    await expect(late).resolves.toStrictEqual({ kind: 'conflict', actual: 0n });
    expect(storedIn(server)).toStrictEqual([idOf('rival')]);
  });

  it('may run 300 times concurrently next to the maximum of 15 subscriptions', async () => {
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

  it('is completed, including retries, before the store closes', async () => {
    const { server, store } = await connected();
    server.faults.append({ kind: 'connection-lost', isStored: true });
    const answer = store.append(STREAM, 'no_stream', newEvents('a'));
    await store.close();
    await expect(answer).resolves.toStrictEqual(appendedAt(0));
    expect(storedIn(server)).toStrictEqual([idOf('a')]);
  });

  it('beyond a size limit is refused without reaching the server', async () => {
    const { server, store } = await connected();
    await expect(store.append(STREAM, 'no_stream', [newEvent('a', { metadata: `"${'x'.repeat(20_000)}"` })])).rejects.toThrow(EventRefused);
    expect(server.log.length).toBe(0);
  });
});
