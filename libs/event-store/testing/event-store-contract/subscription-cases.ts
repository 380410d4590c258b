import { StoreUnavailable, type Position, type Revision, type StoredEvent, type StreamName, type SubscriptionItem } from '../../core/port';
import { collect, idOf, newEvents } from '../new-events';
import { revision, shown, takeUntil, eventsOf, hasCaughtUp, type ContractWorld } from './contract-world';

const SUBSCRIPTION_EVENTS = 600;
const SEEN_STREAM_EVENTS = 6;
const SEEN_EVENTS = 3_000;
const SEEN_WRITERS = 24;
const SEEN_SESSIONS_MAX = 200;
/** The stalls imitate a long computation on the main thread. */
const STALL_EVERY_EVENTS = 40;
const STALL_MS = 4;

const stall = (): void => {
  const until = performance.now() + STALL_MS;
  while (performance.now() < until);
};

export const subscriptionCases = (world: ContractWorld): void => {
  const { newStream, newCategory, options, isShared } = world;

  describe('12: subscriptions', () => {
    it('deliver past events, then caught-up, then new events', async () => {
      const category = newCategory();
      const [first, second] = [newStream(category), newStream(category)];
      await world.store.append(first, 'no_stream', newEvents('a', 'b'));
      const subscription = world.store.subscribe([category], 'start');
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
      await world.store.append(newStream(), 'no_stream', newEvents('foreign'));
      await world.store.append(second, 'no_stream', newEvents('c'));
      expect(eventsOf([await waiting]).map(({ id }) => id)).toStrictEqual([idOf('c')]);
      await subscription.cancel();
      await expect(items.next()).resolves.toStrictEqual({ done: true, value: undefined });
    });

    it('begin after the given position, at an event and at a checkpoint (sub-resume-from-event, sub-resume-from-checkpoint)', async () => {
      const [category, other] = [newCategory(), newCategory()];
      const names = Array.from({ length: 10 }, (_, index) => `resume-${index}`);
      for (const text of names) {
        await world.store.append(newStream(category), 'no_stream', newEvents(text));
        await world.store.append(newStream(other), 'no_stream', newEvents(`${text}-other`));
      }
      const all = await takeUntil(world.store.subscribe([category], 'start'), hasCaughtUp);
      const places: [position: Position, seen: number][] = [];
      let seen = 0;
      for (const item of all) {
        if (item.kind === 'event') places.push([item.event.position, ++seen]);
        if (item.kind === 'checkpoint') places.push([item.position, seen]);
      }
      expect(seen).toBe(names.length);
      for (const [position, count] of places) {
        const rest = eventsOf(await takeUntil(world.store.subscribe([category], position), hasCaughtUp));
        expect(rest.map(({ id }) => id)).toStrictEqual(names.slice(count).map(idOf));
      }
    });

    it('deliver several categories, and no category with a similar name (sub-stream-two-prefixes)', async () => {
      const [one, two] = [newCategory(), newCategory()];
      for (const category of [one, two, `${one}x`, `x${two}`])
        await world.store.append(newStream(category), 'no_stream', newEvents(`${category}-event`));
      const events = eventsOf(await takeUntil(world.store.subscribe([one, two], 'start'), hasCaughtUp));
      expect(events.map(({ id }) => id)).toStrictEqual([idOf(`${one}-event`), idOf(`${two}-event`)]);
    });

    it('deliver every category from the given position, without the system streams of the store (sub-stream-regex)', async () => {
      const [one, two] = [newCategory(), newCategory()];
      const before = await world.store.head();
      const stream = newStream(one);
      await world.store.append(stream, 'no_stream', newEvents(`${one}-a`, `${one}-b`));
      await world.store.append(newStream(two), 'no_stream', newEvents(`${two}-c`));
      await world.store.append(stream, revision(1), newEvents(`${one}-d`));
      const mine = (items: readonly SubscriptionItem[]): readonly string[] =>
        eventsOf(items)
          .filter((event) => event.stream.startsWith(`${one}-`) || event.stream.startsWith(`${two}-`))
          .map(({ id }) => id);
      const written = [`${one}-a`, `${one}-b`, `${two}-c`, `${one}-d`].map(idOf);
      const all = await takeUntil(world.store.subscribe('all', isShared ? before : 'start'), hasCaughtUp);
      expect(mine(all)).toStrictEqual(written);
      expect(eventsOf(all).filter((event) => event.stream.startsWith('$'))).toStrictEqual([]);
      expect(mine(await takeUntil(world.store.subscribe('all', before), hasCaughtUp))).toStrictEqual(written);
    });

    it('deliver each event once and in order while writers append and the session is often resumed', async () => {
      const categories = [newCategory(), newCategory(), newCategory()] as const;
      const write = async (writer: number): Promise<void> => {
        const category = categories[writer % categories.length] ?? categories[0];
        const stream = newStream(category);
        for (let index = 0; index < SUBSCRIPTION_EVENTS / 6; index++) {
          await world.store.append(stream, index === 0 ? 'no_stream' : revision(index - 1), newEvents(`w${writer}-${index}-${stream}`));
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
          world.store.subscribe(wanted, after),
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
        expect(world.store.comparePositions((delivered[index] as StoredEvent).position, event.position)).toBeLessThan(0);
      }
      const heads = new Map<StreamName, bigint>();
      for (const event of delivered) {
        expect(event.revision).toBe((heads.get(event.stream) ?? -1n) + 1n);
        heads.set(event.stream, event.revision);
      }
    }, 60_000);

    const seenTotal = options.seenEvents ?? SEEN_EVENTS;
    it(`deliver an event only once a read of its stream contains it, even if the main thread stalls (${seenTotal} events)`, async () => {
      const late = await options.openLateAnswering?.();
      const seenOn = late?.store ?? world.store;
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
            // The server drops a slow subscriber, which then resumes at its position.
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

    it('move the checkpoint past events of other categories up to the head', async () => {
      const [category, other] = [newCategory(), newCategory()];
      await world.store.append(newStream(category), 'no_stream', newEvents(`${category}-a`));
      for (let index = 0; index < 40; index++) await world.store.append(newStream(other), 'no_stream', newEvents(`${other}-${index}`));
      const head = await world.store.head();
      const items = await takeUntil(world.store.subscribe([category], 'start'), (taken) => {
        const last = taken.at(-1);
        return last?.kind === 'checkpoint' && world.store.comparePositions(last.position, head) >= 0;
      });
      expect(eventsOf(items)).toHaveLength(1);
    });

    it('end when they are cancelled while a reader waits', async () => {
      const subscription = world.store.subscribe([newCategory()], 'start');
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
};
