import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { Schemas } from '../port';
import { queries } from './reading';

type FeedItem = Schemas['FeedItem'];
type FeedState = 'connecting' | 'live' | 'lost';

/** Items of this time become one round of queries. */
const BATCH_MS = 1_500;
const RETRY_MS = 5_000;

let state: FeedState = 'connecting';
let source: EventSource | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;
let batch: ReturnType<typeof setTimeout> | undefined;
let lastPosition: string | undefined;
let waiting: FeedItem[] = [];
const stateListeners = new Set<() => void>();
const itemListeners = new Set<(items: readonly FeedItem[]) => void>();

const become = (next: FeedState): void => {
  if (state === next) return;
  state = next;
  for (const listener of stateListeners) listener();
};

/** Queries of a hidden page are asked when somebody looks. */
const isVisible = (): boolean => document.visibilityState === 'visible';

const markStale = (items: readonly FeedItem[]): void => {
  const orders = new Set(items.map(({ orderId }) => orderId));
  void queries.invalidateQueries({
    refetchType: isVisible() ? 'active' : 'none',
    predicate: ({ meta }) => {
      const live = meta?.live ?? 'never';
      return live !== 'never' && (live === 'all' || orders.has(live.orderId));
    },
  });
};

document.addEventListener('visibilitychange', () => {
  if (isVisible()) void queries.refetchQueries({ type: 'active', predicate: ({ state: { isInvalidated } }) => isInvalidated });
});

const flush = (): void => {
  batch = undefined;
  const items = waiting;
  waiting = [];
  markStale(items);
  for (const listener of itemListeners) listener(items);
};

const take = ({ data, lastEventId }: MessageEvent<string>): void => {
  lastPosition = lastEventId;
  waiting.push(JSON.parse(data) as FeedItem);
  batch ??= setTimeout(flush, BATCH_MS);
};

/** What happened in a gap that the feed cannot repeat is asked for again, whole lists too. */
const markAllStale = (): void => void queries.invalidateQueries({ refetchType: isVisible() ? 'active' : 'none' });

/** Opens the feed once. After a gap it continues from the last position, so that nothing is missed. */
export const startFeed = (): void => {
  if (source !== undefined) return;
  clearTimeout(retry);
  const isAfterGap = state === 'lost';
  const from = lastPosition;
  const opened = new EventSource(from === undefined ? '/feed' : `/feed?from=${encodeURIComponent(from)}`);
  source = opened;
  let wasOpen = false;
  opened.addEventListener('open', () => {
    if (!wasOpen && isAfterGap && from === undefined) markAllStale();
    wasOpen = true;
    become('live');
  });
  opened.addEventListener('message', take);
  opened.addEventListener('error', () => {
    become('lost');
    if (opened.readyState !== EventSource.CLOSED) return; // the browser connects again
    // The service may refuse the position, such as after the log was replaced.
    if (!wasOpen) lastPosition = undefined;
    source = undefined;
    retry = setTimeout(startFeed, RETRY_MS);
  });
};

export const stopFeed = (): void => {
  clearTimeout(retry);
  clearTimeout(batch);
  source?.close();
  [source, batch, lastPosition, waiting] = [undefined, undefined, undefined, []];
  become('connecting');
};

const subscribe = (listener: () => void): (() => void) => {
  stateListeners.add(listener);
  return () => stateListeners.delete(listener);
};

export const useFeedState = (): FeedState => useSyncExternalStore(subscribe, () => state);

/**
 * The number of feed items that a list has not shown, for its "12 new" bar; `reset` after it was loaded again.
 * @param isMatch which items count; all if absent
 */
export const useNewItems = (isMatch?: (item: FeedItem) => boolean): { readonly count: number; readonly reset: () => void } => {
  const [count, setCount] = useState(0);
  const match = useRef(isMatch);
  match.current = isMatch;
  useEffect(() => {
    const listener = (items: readonly FeedItem[]): void => {
      const more = items.filter((item) => match.current?.(item) ?? true).length;
      if (more > 0) setCount((before) => before + more);
    };
    itemListeners.add(listener);
    return () => void itemListeners.delete(listener);
  }, []);
  return { count, reset: () => setCount(0) };
};
