import {
  OutcomeUnknown,
  StoreUnavailable,
  type EventStore,
  type Position,
  type StoredEvent,
  type StreamName,
  type SubscriptionItem,
} from '@app/event-store';
import { sleep, type Deadline, type Scheduler } from '@app/kernel';
import type { KeyedChance } from './keyed-chance';
import type { Life } from './life';

/** Rates of the log's faults, as shares of all calls. */
export interface StoreFaults {
  readonly refused: number;
  readonly answerLost: number;
  readonly storedLate: number;
  readonly slow: number;
  /** Stored and delivered to subscribers before the writer gets its answer. The writer's process still reads the old stream. */
  readonly ahead: number;
  readonly unread: number;
  readonly dropped: number;
  /** A session begins with events that its reader already has, as after a reconnect. */
  readonly doubled: number;
  readonly stalled: number;
  /** How often per hour the leader moves: appends are refused for a while, and reads continue. */
  readonly leaderMoves: number;
}

export const NO_STORE_FAULTS: StoreFaults = { refused: 0, answerLost: 0, storedLate: 0, slow: 0, ahead: 0, unread: 0, dropped: 0, doubled: 0, stalled: 0, leaderMoves: 0 }; // prettier-ignore

const SLOW_MS_MAX = 4_000;
const LATE_MS_MAX = 20_000;
const AHEAD_MS_MAX = 500;
/** Close to the stores' own limit for calls without one. */
const STALLED_MS_MAX = 15_000;
const DOUBLED_MAX = 20;

/**
 * By stream: the first revision that its writer cannot read yet. Once another process reads it, the writer can too (all ask the leader).
 */
export type UnseenEnds = Map<StreamName, { readonly writer: Life; readonly from: bigint }>;

interface FaultyStoreSettings {
  readonly log: EventStore;
  readonly life: Life;
  readonly faults: () => StoreFaults;
  readonly chance: KeyedChance;
  readonly hasLeader?: () => boolean;
  /** Of the run, not the process: a late append is stored even after its process ended. */
  readonly scheduler: Scheduler;
  readonly unseen: UnseenEnds;
}

/**
 * Ends at the caller's deadline if that is earlier.
 * @throws StoreUnavailable at the deadline, like a store
 */
const stall = async (scheduler: Scheduler, ms: number, deadline: Deadline | undefined): Promise<void> => {
  let forget = (): void => undefined;
  const isOver = new Promise<boolean>((resolve) => {
    forget = deadline?.whenOver(() => resolve(true)) ?? forget;
    scheduler.after(ms, () => resolve(false));
  });
  const gaveUp = await isOver;
  forget();
  if (gaveUp) throw new StoreUnavailable('the log did not answer in time');
};

const before = (position: Position | 'start', count: number): Position | 'start' =>
  position === 'start' || Number(position) <= count ? 'start' : (String(Number(position) - count) as Position);

export const faultyStore = ({ log, life, faults, chance, hasLeader = () => true, scheduler, unseen }: FaultyStoreSettings): EventStore => {
  const slowly = async (site: string, entity: string): Promise<void> => {
    if (chance.happens(faults().slow, `${site}.slow`, entity))
      await sleep(scheduler, chance.between(1, SLOW_MS_MAX, `${site}.slow-ms`, entity));
  };
  const firstUnseen = (stream: StreamName): bigint | undefined => {
    const end = unseen.get(stream);
    if (end?.writer === life) return end.from;
    unseen.delete(stream);
    return undefined;
  };
  const append: EventStore['append'] = (stream, expected, events, limitMs) =>
    life.call('store.append', async () => {
      await slowly('append', stream);
      const rates = faults();
      if (!hasLeader()) throw new StoreUnavailable('the log has no leader: refused');
      if (chance.happens(rates.refused, 'append.refused', stream)) throw new StoreUnavailable('the log refuses');
      if (chance.happens(rates.storedLate, 'append.late', stream)) {
        scheduler.after(chance.between(1, LATE_MS_MAX, 'append.late-ms', stream), () => void log.append(stream, expected, events, limitMs));
        throw new OutcomeUnknown('the log said nothing');
      }
      firstUnseen(stream);
      const appended = await log.append(stream, expected, events, limitMs);
      if (appended.kind === 'appended' && chance.happens(rates.ahead, 'append.ahead', stream)) {
        unseen.set(stream, { writer: life, from: appended.revision - BigInt(events.length) + 1n });
        await sleep(scheduler, chance.between(1, AHEAD_MS_MAX, 'append.ahead-ms', stream));
        unseen.delete(stream);
      }
      if (chance.happens(rates.answerLost, 'append.lost', stream)) throw new OutcomeUnknown('the answer of the log was lost');
      return appended;
    });
  async function* read(...[stream, from, deadline]: Parameters<EventStore['read']>): AsyncGenerator<StoredEvent> {
    const events = await life.call('store.read', async () => {
      await slowly('read', stream);
      if (chance.happens(faults().stalled, 'read.stalled', stream))
        await stall(scheduler, chance.between(1, STALLED_MS_MAX, 'read.stalled-ms', stream), deadline);
      if (chance.happens(faults().unread, 'read.unread', stream)) throw new StoreUnavailable('the log cannot be read');
      const found: StoredEvent[] = [];
      for await (const event of log.read(stream, from, deadline)) found.push(event);
      const end = firstUnseen(stream);
      return end === undefined ? found : found.filter(({ revision }) => revision < end);
    });
    yield* events;
  }
  const subscribe: EventStore['subscribe'] = (categories, after) => {
    const isDoubled = chance.happens(faults().doubled, 'subscription.doubled');
    const begin = isDoubled ? before(after, chance.between(1, DOUBLED_MAX, 'subscription.doubled-events')) : after;
    const session = log.subscribe(categories, begin);
    life.onEnd(() => void session.cancel());
    async function* items(): AsyncGenerator<SubscriptionItem> {
      const source = session[Symbol.asyncIterator]();
      for (;;) {
        const next = await life.call('store.subscription', () => source.next());
        if (next.done === true) return;
        if (chance.happens(faults().dropped, 'subscription.dropped')) {
          await session.cancel();
          throw new StoreUnavailable('the subscription was dropped');
        }
        yield next.value;
      }
    }
    return { [Symbol.asyncIterator]: items, cancel: () => session.cancel() };
  };
  return {
    append,
    read,
    subscribe,
    head: (deadline) =>
      life.call('store.head', async () => {
        if (chance.happens(faults().unread, 'head.unread')) throw new StoreUnavailable('the log cannot be read');
        return log.head(deadline);
      }),
    comparePositions: (a, b) => log.comparePositions(a, b),
    close: () => Promise.resolve(),
  };
};
