import type { WireServer } from '../../fakes/eventstoredb';
import type { EventStoreDBClient } from '@eventstore/db-client';
import { shownError } from './outcome';
import { event, type Play, type Plays } from './play';
import { by, type Rpc, type World } from './world';

const cluster = async (world: World): Promise<{ leader: WireServer; follower: WireServer }> => {
  const leader = await world.server();
  return { leader, follower: await world.server({ leader }) };
};

/** An error contains the leader's address, which the cases omit. */
const outcomeAt = async (leader: WireServer, call: () => Promise<unknown>): Promise<unknown> => {
  try {
    await call();
    return { ok: true };
  } catch (error) {
    const named = (error as { leader?: { address: string; port: number } }).leader;
    const { host, port } = leader.address;
    expect(named?.address).toBe(host);
    return { ...shownError(error), leader: { address: '<host of the leader>', portIsLeaderPort: named?.port === port } };
  }
};

const appendOnFollower =
  (rpc: Rpc, requiresLeader?: boolean): Play =>
  async (world, { then }) => {
    const { leader, follower } = await cluster(world);
    const client = world.client(follower);
    const append = () => client.appendToStream('s', event(0), { ...by(rpc), ...(requiresLeader === undefined ? {} : { requiresLeader }) });
    const first = await outcomeAt(leader, append);
    expect({ first, second: await outcomeAt(leader, append) }).toStrictEqual(then);
  };

const readLast = async (client: EventStoreDBClient, options: { requiresLeader?: boolean } = {}): Promise<unknown> => {
  let last: bigint | undefined;
  for await (const { event: of } of client.readStream('s', options)) last = of?.revision;
  return last;
};

/** The leader dies and another node takes over its log without the remembered ids. */
const failover = async (world: World, before: (client: EventStoreDBClient) => Promise<unknown>): Promise<EventStoreDBClient> => {
  const first = await world.server();
  await before(world.client(first));
  await first.kill();
  return world.client(await world.server({ log: first.log }));
};
const shown = ({ nextExpectedRevision }: { nextExpectedRevision: bigint }): unknown => ({
  ok: true,
  nextExpectedRevision: `${nextExpectedRevision}n`,
});

export const clusterPlays: Plays = {
  'cluster-append-on-follower-batch-requiresLeader-default': appendOnFollower('BatchAppend'),
  'cluster-append-on-follower-append-requiresLeader-default': appendOnFollower('Append'),
  'cluster-append-on-follower-batch-requiresLeader-true': appendOnFollower('BatchAppend', true),
  'cluster-append-on-follower-append-requiresLeader-true': appendOnFollower('Append', true),
  'cluster-append-on-follower-batch-requiresLeader-false': appendOnFollower('BatchAppend', false),
  'cluster-append-on-follower-append-requiresLeader-false': appendOnFollower('Append', false),

  'cluster-read-on-follower': async (world, { then }) => {
    const { leader, follower } = await cluster(world);
    await world.client(leader).appendToStream('s', event(0));
    const client = world.client(follower);
    const readAll = async () => {
      for await (const _ of client.readAll({ maxCount: 1 })) continue;
    };
    // The server has no persistent subscriptions, so this part of the case is omitted.
    const { psCreate: _, ...rest } = then;
    expect({
      readStream: await outcomeAt(leader, () => readLast(client)),
      readAll: await outcomeAt(leader, readAll),
      deleteStream: await outcomeAt(leader, () => client.deleteStream('s')),
      setStreamMetadata: await outcomeAt(leader, () => client.setStreamMetadata('s', { maxCount: 1 })),
      readStreamRequiresLeader: await outcomeAt(leader, () => readLast(client, { requiresLeader: true })),
    }).toStrictEqual(rest);
  },

  'append-failover-exact': async (world, { then }) => {
    const b = event(0);
    const c = event(1);
    const client = await failover(world, async (old) => {
      await old.appendToStream('s', b, { expectedRevision: 'no_stream' });
      await old.appendToStream('s', c, { expectedRevision: 0n });
    });
    expect({
      retryOfFirst: shown(await client.appendToStream('s', b, { expectedRevision: 'no_stream' })),
      retryOfSecondExact0: shown(await client.appendToStream('s', c, { expectedRevision: 0n })),
    }).toStrictEqual(then);
  },

  'append-failover-any': async (world, { then }) => {
    const a = event(0);
    let beforeFailover: unknown;
    const client = await failover(world, async (old) => (beforeFailover = shown(await old.appendToStream('s', a))));
    const again = shown(await client.appendToStream('s', a));
    expect({ ...(again as object), writtenAgain: (await readLast(client)) === 1n, beforeFailover }).toStrictEqual(then);
  },

  'append-failover-stream-exists': async (world, { then }) => {
    const d = event(1);
    const client = await failover(world, async (old) => {
      await old.appendToStream('s', event(0));
      await old.appendToStream('s', d, { expectedRevision: 'stream_exists' });
    });
    const again = shown(await client.appendToStream('s', d, { expectedRevision: 'stream_exists' }));
    expect({ ...(again as object), writtenAgain: (await readLast(client)) === 2n }).toStrictEqual(then);
  },

  'append-any-forgotten-after-many-events': async (world, { given, then }) => {
    const client = world.client(await world.server());
    const old = event(0);
    // The memory is bounded in bytes. With a name of this length the bound is the observed one.
    const elsewhere = `elsewhere-${'x'.repeat(22)}`;
    await client.appendToStream('s', old);
    const counts = (given[1] as unknown as { k: readonly number[] }).k;
    const seen: Record<string, string> = {};
    let appended = 0;
    for (const count of counts) {
      for (; appended < count; appended += 1000) {
        await client.appendToStream(
          elsewhere,
          Array.from({ length: 1000 }, (_, n) => event(n)),
        );
      }
      const { nextExpectedRevision } = await client.appendToStream('s', old);
      seen[count] = nextExpectedRevision === 0n ? 'idempotent' : 'written again';
      // Later counts would need fresh servers, because the id is remembered again from here.
      if (nextExpectedRevision > 0n) break;
    }
    expect(then).toMatchObject(seen);
    expect(Object.values(seen).at(-1)).toBe('written again');
  },
};
