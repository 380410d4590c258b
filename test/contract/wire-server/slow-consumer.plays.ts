import {
  binaryEvent,
  streamNameFilter,
  type AllStreamSubscription,
  type EventData,
  type EventStoreDBClient,
  type Filter,
} from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { setTimeout as takeTime } from 'node:timers/promises';
import { shownError } from './outcome';
import type { Play, Plays } from './play';

type EventOf = () => EventData;

const sized =
  (dataBytes: number, metadataBytes: number): EventOf =>
  () =>
    binaryEvent({ id: randomUUID(), type: 'T', data: new Uint8Array(dataBytes), metadata: new Uint8Array(metadataBytes) });

const flood = async (client: EventStoreDBClient, eventOf: EventOf, count: number, perAppend: number): Promise<void> => {
  for (let sent = 0; sent < count; sent += perAppend) {
    await client.appendToStream('h-1', Array.from({ length: Math.min(perAppend, count - sent) }, eventOf));
  }
};

const subscribe = (client: EventStoreDBClient, isFiltered: boolean): AllStreamSubscription =>
  client.subscribeToAll(isFiltered ? { filter: streamNameFilter({ prefixes: ['h-'] }) as Filter } : {});
const caughtUp = (subscription: AllStreamSubscription): Promise<void> => new Promise((resolve) => subscription.once('caughtUp', resolve));

interface Taken {
  readonly delivered: number;
  readonly error: unknown;
}

const take = async (subscription: AsyncIterator<unknown>, count: number, msPerEvent = 0): Promise<Taken> => {
  let delivered = 0;
  try {
    for (; delivered < count; delivered++) {
      await subscription.next();
      if (msPerEvent > 0) await takeTime(msPerEvent);
    }
    return { delivered, error: null };
  } catch (error) {
    const { ok: _, ...fields } = shownError(error);
    return { delivered, error: fields };
  }
};

interface Paused {
  readonly deliveredWhilePaused?: number;
  readonly deliveredInAll: number;
  readonly of: number;
  readonly iteratorError: unknown;
}

const pausedLive =
  (isFiltered: boolean, eventOf: EventOf, perAppend: number): Play =>
  async (world, { then }) => {
    const client = world.client(await world.server());
    const expected = then as unknown as Paused;
    const subscription = subscribe(client, isFiltered);
    subscription.on('error', () => undefined);
    await caughtUp(subscription);
    await client.appendToStream('h-1', eventOf());
    const iterator = subscription[Symbol.asyncIterator]();
    const first = await take(iterator, 1);
    await flood(client, eventOf, expected.of - 1, perAppend);
    const rest = await take(iterator, expected.of);
    expect(first).toStrictEqual({ delivered: 1, error: null });
    expect(rest.error).toStrictEqual(expected.iteratorError);
    // The number of buffered events depends on their sizes, but never exceeds that of the real server.
    expect(rest.delivered).toBeGreaterThan(0);
    expect(rest.delivered + 1).toBeLessThanOrEqual(expected.deliveredInAll);
  };

const PIECEMEAL_PACE_MS = 15;

interface Burst {
  readonly msPerEvent: number;
  readonly events: number;
  readonly perAppend: number;
}

export const slowConsumerPlays: Plays = {
  'sub-slow-consumer-filtered-live': pausedLive(true, sized(7, 200), 50),
  'sub-slow-consumer-unfiltered-live': pausedLive(false, sized(7, 200), 50),
  'sub-slow-consumer-large-events': pausedLive(true, sized(10_000, 0), 20),

  'sub-slow-consumer-filtered-catchup': async (world, { then }) => {
    const client = world.client(await world.server());
    const expected = then as unknown as Paused;
    await flood(client, sized(7, 200), expected.of, 500);
    const subscription = subscribe(client, true);
    const iterator = subscription[Symbol.asyncIterator]();
    const first = await take(iterator, 1);
    // A live consumer would be dropped for this.
    await client.appendToStream('other', sized(7, 200)());
    await takeTime(100);
    const rest = await take(iterator, expected.of - 1);
    expect({ first, delivered: first.delivered + rest.delivered, error: rest.error }).toStrictEqual({
      first: { delivered: 1, error: null },
      delivered: expected.deliveredInAll,
      error: expected.iteratorError,
    });
  },

  'sub-live-burst': async (world, { then }) => {
    const { dropped, notDropped, error } = then as unknown as { dropped: Burst[]; notDropped: Burst[]; error: unknown };
    const played = async ({ msPerEvent, events, perAppend }: Burst): Promise<Taken> => {
      const client = world.client(await world.server());
      const subscription = subscribe(client, true);
      subscription.on('error', () => undefined);
      await caughtUp(subscription);
      // Separate appends take longer on a busy machine than when observed, so the consumer must be slower too.
      const paceMs = perAppend < events ? Math.max(msPerEvent, PIECEMEAL_PACE_MS) : msPerEvent;
      const taking = take(subscription[Symbol.asyncIterator](), events, paceMs);
      await flood(client, sized(600, 0), events, perAppend);
      const taken = await taking;
      await world.end();
      return taken;
    };
    for (const burst of dropped) {
      const taken = await played(burst);
      expect({ burst, error: taken.error }).toStrictEqual({ burst, error });
      expect(taken.delivered).toBeLessThan(burst.events);
    }
    for (const burst of notDropped)
      expect({ burst, ...(await played(burst)) }).toStrictEqual({ burst, delivered: burst.events, error: null });
  },
};
