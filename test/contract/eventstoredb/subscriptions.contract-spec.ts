import {
  StoreUnavailable,
  SubscriptionDropped,
  SubscriptionRunner,
  type NewEvent,
  type Position,
  type ProjectionStore,
  type Revision,
  type StoredEvent,
  type StreamName,
  type SubscriptionItem,
} from '@app/event-store';
import { EventStoreDbEventStore } from '@app/event-store/stores/eventstoredb';
import { newEvent, newEvents } from '@app/event-store/testing';
import { systemClock, systemScheduler, type NonEmpty, type Scheduler } from '@app/kernel';
import { until } from '../../support/until';
import { closeAll, connected, follow, nextEvent, STREAM } from './wire-world';

jest.setTimeout(60_000);
afterEach(closeAll);

describe('a subscription of the EventStoreDB adapter', () => {
  const faults = ['too-slow', 'too-slow-for-live', 'unavailable', 'half-close', 'connection-lost'] as const;
  it.each(faults)('ends as unavailable after the received events, and the next one continues: %s', async (kind) => {
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
    expect(errors[0] instanceof SubscriptionDropped).toBe(kind.startsWith('too-slow'));
    expect(seen.map(({ revision }) => revision)).toStrictEqual(Array.from({ length: 61 }, (_, index) => BigInt(index)));
  });

  it('delivers each event once despite frequent drops during catch-up, at its end and while live', async () => {
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

  it('is refused for a malformed start position', async () => {
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

  it('is not dropped while live if its reader pauses for 4,000 events', async () => {
    const { store } = await connected();
    const items = store.subscribe(['order'], 'start')[Symbol.asyncIterator]();
    while (((await items.next()).value as SubscriptionItem).kind !== 'caught-up');
    const streams = 40;
    for (let batch = 0; batch < streams; batch++) {
      const events = Array.from({ length: 100 }, (_, index) => newEvent(`${batch}-${index}`));
      await store.append(`order-${batch}` as StreamName, 'no_stream', events as unknown as NonEmpty<NewEvent>);
    }
    const seen: StoredEvent[] = [];
    while (seen.length < 100 * streams) seen.push((await nextEvent(items)) as StoredEvent);
    await items.return?.();
    expect(new Set(seen.map(({ id }) => id)).size).toBe(100 * streams);
  }, 60_000);

  it('is not dropped while transitioning to live if its reader pauses before the end of the past', async () => {
    const { server, store } = await connected();
    const write = (name: string, ...events: NonEmpty<NewEvent>) => store.append(`order-${name}` as StreamName, 'no_stream', events);
    const hundred = (name: string) =>
      Array.from({ length: 100 }, (_, index) => newEvent(`${name}-${index}`)) as unknown as NonEmpty<NewEvent>;
    // As many as the adapter holds for its reader, then more than the window of HTTP/2.
    for (let batch = 0; batch < 20; batch++) await write(`${batch}`, ...hundred(`${batch}`));
    await write('large', newEvent('large', { data: `{"x":"${'x'.repeat(800_000)}"}` }));
    const items = store.subscribe(['order'], 'start')[Symbol.asyncIterator]();
    const first = await nextEvent(items);
    await until(() => server.openCalls === 1, { what: 'the subscription alone' });
    await write('meanwhile', ...hundred('meanwhile'));
    const seen = [first];
    while (seen.length < 2_101) seen.push(await nextEvent(items));
    await items.return?.();
    expect(new Set(seen.map((event) => event?.id)).size).toBe(2_101);
  }, 60_000);

  describe('on a log with events of other categories', () => {
    it('advances its checkpoint to the head without a checkpoint from the server, never past an undelivered event', async () => {
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

    it('begins with a checkpoint at the head if its categories have no past events', async () => {
      const { store } = await connected();
      await store.append('foreign-1' as StreamName, 'no_stream', newEvents('a', 'b'));
      const { kinds, seen } = follow(store.subscribe(['order'], 'start'));
      await until(() => kinds().includes('caught-up'), { what: 'caught up' });
      expect(seen.items).toStrictEqual([{ kind: 'checkpoint', position: await store.head() }, { kind: 'caught-up' }]);
    });

    it('ends if the server withholds an event', async () => {
      const { server, store } = await connected();
      server.faults.subscription({ kind: 'silence', afterEvents: 1 });
      const { kinds, seen, done } = follow(store.subscribe(['order'], 'start'));
      await store.append(STREAM, 'no_stream', newEvents('a'));
      await until(() => kinds().length >= 1, { what: 'the first event' });
      await store.append(STREAM, 0n as Revision, newEvents('b'));
      await done;
      expect(seen.error?.message).toMatch(/a subscription is dead: (?:an event at \d+\/\d+ was not delivered|it says nothing)$/);
    });

    it('keeps a projection runner at the head within one session', async () => {
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
