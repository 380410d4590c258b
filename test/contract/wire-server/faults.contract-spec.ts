import { observedCases } from '@app/event-store/testing';
import type { AppendFault, ReadFault, SubscriptionFault, WireServer } from '../../fakes/eventstoredb';
import { eventually } from '@app/testing';
import {
  binaryEvent,
  streamNameFilter,
  type AllStreamResolvedEvent,
  type AllStreamSubscription,
  type EventStoreDBClient,
  type Filter,
  type Position,
} from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { outcomeOf } from './outcome';
import { event, Watch } from './play';
import { by, World, type Rpc } from './world';

const DEADLINE_MS = 200;
const LONG_DEADLINE_MS = 20_000;

const world = new World();
afterEach(() => world.end());

const begin = async (): Promise<{ server: WireServer; client: EventStoreDBClient }> => {
  const server = await world.server();
  return { server, client: world.client(server) };
};
const stored = (server: WireServer, stream = 's'): number => server.log.eventsOf(stream).length;
const read = (client: EventStoreDBClient, stream: string) =>
  outcomeOf(
    (async () => {
      let count = 0;
      for await (const _ of client.readStream(stream)) count += 1;
      return { count };
    })(),
  );

describe('an append fault', () => {
  const faults: readonly (readonly [AppendFault, Rpc, Readonly<Record<string, unknown>>, stored: number])[] = [
    [{ kind: 'unavailable' }, 'Append', { type: 'unavailable', code: 14, message: '14 UNAVAILABLE: Server Is Not Ready' }, 0],
    [{ kind: 'unavailable' }, 'BatchAppend', { type: 'unknown', message: 'Could not recognize Server Is Not Ready' }, 0],
    [{ kind: 'cancelled' }, 'Append', { error: 'CancelledError', type: 'cancelled', code: 1 }, 0],
    [{ kind: 'cancelled' }, 'BatchAppend', { error: 'CancelledError', type: 'cancelled', code: 1 }, 0],
    [{ kind: 'hang', isStored: false }, 'Append', { type: 'deadline-exceeded', code: 4 }, 0],
    [{ kind: 'hang', isStored: true }, 'Append', { type: 'deadline-exceeded', code: 4 }, 1],
    [{ kind: 'half-close', isStored: false }, 'Append', { code: 13, message: expect.stringContaining('RST_STREAM with code 0') }, 0],
    [{ kind: 'half-close', isStored: true }, 'Append', { code: 13, message: expect.stringContaining('RST_STREAM with code 0') }, 1],
    [{ kind: 'half-close', isStored: true }, 'BatchAppend', { code: 13, message: expect.stringContaining('RST_STREAM with code 0') }, 1],
    [{ kind: 'connection-lost', isStored: false }, 'Append', { type: 'unavailable', code: 14 }, 0],
    [{ kind: 'connection-lost', isStored: true }, 'Append', { type: 'unavailable', code: 14 }, 1],
    [{ kind: 'connection-lost', isStored: true }, 'BatchAppend', { type: 'unavailable', code: 14 }, 1],
  ];

  it.each(faults)('%j over %s yields %j and stores %i, and a repeat is stored once', async (fault, rpc, expected, storedAfter) => {
    const { server, client } = await begin();
    await client.appendToStream('warm', event(0), by(rpc));
    server.faults.append(fault);
    const mine = event(0);
    const append = (deadline = LONG_DEADLINE_MS) =>
      outcomeOf(
        client
          .appendToStream('s', mine, { expectedRevision: 'no_stream', deadline, ...by(rpc) })
          .then(({ nextExpectedRevision }) => ({ nextExpectedRevision })),
      );
    await expect(append(fault.kind === 'hang' ? DEADLINE_MS : LONG_DEADLINE_MS)).resolves.toMatchObject({ ok: false, ...expected });
    expect(stored(server)).toBe(storedAfter);
    expect(server.faults.pending).toBe(0);
    await eventually(async () => (await append())['ok'] === true);
    await expect(append()).resolves.toStrictEqual({ ok: true, nextExpectedRevision: 0n });
    expect(stored(server)).toBe(1);
  });

  it('commit-timeout responds like the real server without a quorum, and stores the event', async () => {
    const { server, client } = await begin();
    const observed = (id: string) => observedCases().find((candidate) => candidate.id === id)!.then['append'] as Record<string, unknown>;
    const { afterMsAbout: _, ...append } = observed('cluster-no-quorum-append');
    const { ms: __, ...batchAppend } = observed('cluster-no-quorum-batch-alone');
    server.faults.append({ kind: 'commit-timeout' }, { times: 2 });
    const outcome = (stream: string, rpc: Rpc) => outcomeOf(client.appendToStream(stream, event(0), by(rpc)).then(() => ({})));
    await expect(outcome('a', 'Append')).resolves.toStrictEqual(append);
    await expect(outcome('b', 'BatchAppend')).resolves.toStrictEqual(batchAppend);
    expect([stored(server, 'a'), stored(server, 'b')]).toStrictEqual([1, 1]);
  });

  it('not-leader sends the client to the named leader', async () => {
    const { server, client } = await begin();
    const other = await world.server();
    server.faults.append({ kind: 'not-leader', leader: other.address });
    await expect(outcomeOf(client.appendToStream('s', event(0), by('Append')).then(() => ({})))).resolves.toMatchObject({
      error: 'NotLeaderError',
      code: 5,
    });
    await client.appendToStream('s', event(0), by('Append'));
    expect([stored(server), stored(other)]).toStrictEqual([0, 1]);
  });

  it('applies the requested number of times to the requested streams until it is cleared', async () => {
    const { server, client } = await begin();
    server.faults.append({ kind: 'unavailable' }, { times: 3, of: (stream) => stream === 's' });
    const append = async (stream: string) =>
      (await outcomeOf(client.appendToStream(stream, event(0), by('Append')).then(() => ({}))))['ok'];
    expect([await append('other'), await append('s'), await append('other'), await append('s')]).toStrictEqual([true, false, true, false]);
    expect(server.faults.pending).toBe(1);
    server.faults.clear();
    expect([server.faults.pending, await append('s')]).toStrictEqual([0, true]);
  });
});

describe('a read fault', () => {
  const faults: readonly (readonly [ReadFault['kind'], Readonly<Record<string, unknown>>])[] = [
    ['unavailable', { type: 'unavailable', code: 14, message: '14 UNAVAILABLE: Server Is Not Ready' }],
    ['half-close', { code: 13, message: expect.stringContaining('RST_STREAM with code 0') }],
    ['connection-lost', { type: 'unavailable', code: 14 }],
  ];

  it.each(faults)('%s yields %j for one read', async (kind, expected) => {
    const { server, client } = await begin();
    await client.appendToStream('s', event(0));
    server.faults.read({ kind }, { of: (stream) => stream === 's' });
    await expect(read(client, 's')).resolves.toMatchObject({ ok: false, ...expected });
    await eventually(async () => (await read(client, 's'))['ok'] === true);
    await expect(read(client, 's')).resolves.toStrictEqual({ ok: true, count: 1 });
  });

  it('hang sends no response until the read is cancelled', async () => {
    const { server, client } = await begin();
    await client.appendToStream('s', event(0));
    server.faults.read({ kind: 'hang' });
    let said = 0;
    const reading = client.readStream('s');
    reading.on('data', () => (said += 1)).on('end', () => (said += 1));
    await eventually(() => server.faults.pending === 0);
    await expect(read(client, 's')).resolves.toStrictEqual({ ok: true, count: 1 });
    expect(said).toBe(0);
    await reading.cancel();
    await eventually(() => server.openCalls <= 1);
  });
});

describe('a subscription fault', () => {
  const watchAll = (client: EventStoreDBClient, fromPosition: 'start' | Position = 'start'): Watch =>
    new Watch(() => client.subscribeToAll({ fromPosition, filter: streamNameFilter({ prefixes: ['s'] }) as Filter }));
  const fill = async (client: EventStoreDBClient, count: number): Promise<void> => {
    for (let n = 0; n < count; n++) await client.appendToStream(`s-${n}`, event(n), by('Append'));
  };

  const faults: readonly (readonly [SubscriptionFault['kind'], string])[] = [
    ['too-slow', 'Consumer too slow to handle event while live'],
    ['too-slow-for-live', 'Consumer too slow to handle event while transitioning to live'],
    ['unavailable', 'Server Is Not Ready'],
    ['half-close', 'RST_STREAM with code 0'],
    ['connection-lost', '"code":14'],
  ];
  it.each(faults)('%s after two events ends the subscription with "%s"', async (kind, message) => {
    const { server, client } = await begin();
    await fill(client, 4);
    server.faults.subscription({ kind, afterEvents: 2 });
    const watch = watchAll(client);
    await eventually(() => watch.error !== undefined);
    expect(watch.error).toContain(message);
    // A broken connection loses data that it has not yet carried.
    expect([0, 1]).toContain(watch.delivered[0] ?? 0);
    expect(watch.delivered.length).toBeLessThanOrEqual(2);
    await eventually(() => server.openCalls === 0);
    const next = watchAll(client);
    await eventually(() => next.isCaughtUp || next.error !== undefined);
    if (next.error === undefined) expect(next.delivered).toStrictEqual([0, 1, 2, 3]);
  });

  it('of a slow reader drops it at the transition to live, and a new one resumes without gaps', async () => {
    const { client } = await begin();
    const past = 60;
    await fill(client, past);
    // More than a connection buffers for its reader.
    await client.appendToStream('s-large', binaryEvent({ id: randomUUID(), type: 'T', data: new Uint8Array(1_000_000) }), by('Append'));
    const subscribed = (after: 'start' | Position) =>
      client.subscribeToAll({ fromPosition: after, filter: streamNameFilter({ prefixes: ['s'] }) as Filter });
    const slow = subscribed('start');
    slow.on('error', () => undefined);
    await new Promise((resolve) => slow.once('confirmation', resolve));
    const meanwhile = Array.from({ length: 40 }, (_, n) => event(n));
    await client.appendToStream('s-meanwhile', meanwhile, by('Append'));
    const taken: AllStreamResolvedEvent[] = [];
    const take = async (subscription: AllStreamSubscription, count: number): Promise<void> => {
      for await (const resolved of subscription) if (taken.push(resolved) >= count) break;
    };
    await expect(take(slow, Infinity)).rejects.toMatchObject({
      code: 10,
      message: expect.stringContaining('Operation timed out: Consumer too slow to handle event while transitioning to live.'),
    });
    const dropped = taken.length;
    const next = subscribed(taken.at(-1)!.event!.position);
    await take(next, past + 1 + meanwhile.length);
    await next.unsubscribe();
    expect(dropped).toBeLessThanOrEqual(past + 1);
    const streams = taken.map(({ event: of }) => `${of?.streamId}@${of?.revision}`);
    expect(streams).toStrictEqual([
      ...Array.from({ length: past }, (_, n) => `s-${n}@0`),
      's-large@0',
      ...meanwhile.map((_, n) => `s-meanwhile@${n}`),
    ]);
  });

  it('silence stops delivery without an error', async () => {
    const { server, client } = await begin();
    await fill(client, 2);
    server.faults.subscription({ kind: 'silence', afterEvents: 1 });
    const silent = watchAll(client);
    const other = watchAll(client);
    await eventually(() => other.isCaughtUp);
    await fill(client, 3);
    await eventually(() => other.delivered.length === 5);
    expect([silent.delivered, silent.log]).toStrictEqual([[0], ['confirmation']]);
    await silent.end();
    await other.end();
  });

  it('repeats events before the position at which it resumes', async () => {
    const { server, client } = await begin();
    await fill(client, 4);
    const watch = watchAll(client);
    await eventually(() => watch.isCaughtUp);
    server.faults.repeatOnResume(2);
    const again = watchAll(client, watch.events[2]!.position);
    await eventually(() => again.isCaughtUp);
    expect(again.delivered).toStrictEqual([1, 2, 3]);
    const sound = watchAll(client, watch.events[2]!.position);
    await eventually(() => sound.isCaughtUp);
    expect(sound.delivered).toStrictEqual([3]);
  });
});

describe('a server that is temporarily unavailable', () => {
  it('is not discovered during the outage, and is discovered afterwards', async () => {
    const { server } = await begin();
    server.faults.isDiscoveryDown = true;
    const client = world.connect(`${server.discoveryConnectionString}&maxDiscoverAttempts=2&discoveryInterval=1`);
    const append = () => outcomeOf(client.appendToStream('s', event(0), by('Append')).then(() => ({})));
    await expect(append()).resolves.toMatchObject({ message: 'Failed to discover after 2 attempts.' });
    server.faults.isDiscoveryDown = false;
    await expect(append()).resolves.toStrictEqual({ ok: true });
  });

  it('restarts at the same port with its events and is discovered as leader', async () => {
    const { server, client } = await begin();
    await client.appendToStream('s', event(0));
    const before = server.address;
    await server.restart();
    expect(server.address).toStrictEqual(before);
    const found = world.connect(server.discoveryConnectionString);
    await expect(read(found, 's')).resolves.toStrictEqual({ ok: true, count: 1 });
  });

  it('directs clients of a follower to the leader', async () => {
    const leader = await world.server();
    const follower = await world.server({ leader });
    const client = world.connect(follower.discoveryConnectionString);
    await expect(client.appendToStream('s', event(0), { requiresLeader: true, ...by('Append') })).resolves.toMatchObject({ success: true });
  });
});
