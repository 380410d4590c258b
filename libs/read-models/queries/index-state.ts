import { metadataOf, StoreUnavailable, type EventStore, type Position, type StoredEvent } from '@app/event-store';
import { BoundedMap, type Instant, sleep, type Scheduler } from '@app/kernel';
import { ORDER_STATUS_CATEGORIES } from '../order-status/order-status.table';

/** `missing`: never built; `behind`: some order events are not projected yet. */
export type IndexState = 'level' | 'behind' | 'missing';

/** Newer events do not make a list `behind`: a busy service always has some, and each question of an operator adds one. */
export const PROJECTED_WITHIN_MS = 2_000;

const LOOK_GAP_MS = 200;
const LOOKS_MAX = 50;

/** Knowledge of the log after a checkpoint: the first event, or the place up to which there is no event. */
type Looked = StoredEvent | Position;

const LOOKED_MAX = 100;
/** By log, then by checkpoint and categories. Otherwise each question would read again all events that follow an idle projection's checkpoint. */
const lookedIn = new WeakMap<object, BoundedMap<string, Looked>>();

/** The first event after a checkpoint; undefined if there is none. */
export const firstUnprojected = async (
  log: Pick<EventStore, 'subscribe'>,
  checkpoint: Position,
  categories: readonly string[],
): Promise<StoredEvent | undefined> => {
  const looked = lookedIn.get(log) ?? new BoundedMap<string, Looked>(LOOKED_MAX);
  lookedIn.set(log, looked);
  const name = [checkpoint, ...categories].join(' ');
  const known = looked.get(name) ?? checkpoint;
  if (typeof known === 'object') return known;
  let upTo = known;
  const subscription = log.subscribe([...categories], upTo);
  try {
    for await (const item of subscription) {
      if (item.kind === 'checkpoint') {
        upTo = item.position;
        continue;
      }
      looked.set(name, item.kind === 'event' ? item.event : upTo);
      return item.kind === 'event' ? item.event : undefined;
    }
    throw new StoreUnavailable('the log ended a subscription early');
  } finally {
    await subscription.cancel();
  }
};

const stateOf = async (
  log: Pick<EventStore, 'subscribe'>,
  checkpoint: Position | undefined,
  isAwaited: (event: StoredEvent) => boolean,
  categories: readonly string[] = ORDER_STATUS_CATEGORIES,
): Promise<IndexState> => {
  if (checkpoint === undefined) return 'missing';
  const first = await firstUnprojected(log, checkpoint, categories);
  return first !== undefined && isAwaited(first) ? 'behind' : 'level';
};

/** Of the index of orders, to the latest event: whether an order that was not found may exist. */
export const indexState = (log: Pick<EventStore, 'subscribe'>, checkpoint: Position | undefined): Promise<IndexState> =>
  stateOf(log, checkpoint, () => true);

/**
 * Of a list that is read now: `behind` only if an event of more than two seconds before is not projected.
 * @param categories of the list. Default: the orders' categories
 */
export const listState = (
  log: Pick<EventStore, 'subscribe'>,
  checkpoint: Position | undefined,
  now: Instant,
  categories?: readonly string[],
): Promise<IndexState> => stateOf(log, checkpoint, (event) => metadataOf(event).recordedAt < now - PROJECTED_WITHIN_MS, categories);

/**
 * Waits at most ten seconds until the index has projected what the log contains now. On a busy service, `level` with the latest event lasts
 * only moments.
 */
export const indexReached = async (
  log: Pick<EventStore, 'subscribe' | 'head' | 'comparePositions'>,
  checkpoint: () => Promise<Position | undefined>,
  scheduler: Scheduler,
): Promise<IndexState> => {
  const head = await log.head();
  for (let look = 0; ; look++) {
    const state = await stateOf(log, await checkpoint(), ({ position }) => log.comparePositions(position, head) <= 0);
    if (state !== 'behind' || look >= LOOKS_MAX) return state;
    await sleep(scheduler, LOOK_GAP_MS);
  }
};

export const INDEX_MESSAGES: Readonly<Record<Exclude<IndexState, 'level'>, string>> = {
  missing: 'the index of orders was never built: what it alone names (cards, serial numbers, receipts, references of gates) is not found',
  behind:
    'the index of orders is behind the log: what it alone names (cards, serial numbers, receipts, references of gates) may be missing',
};
