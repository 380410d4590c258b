import { BrokenChain } from '../core/chain';
import { StoreUnavailable, type EventStore, type Position, type Revision, type StoredEvent, type StreamName } from '../core/port';
import type { RetryPolicy } from './bounded-tasks';

export type EventLog = Omit<EventStore, 'append'>;

export type Selection = 'all' | readonly StreamName[];

export type LogItem = { readonly kind: 'event'; readonly event: StoredEvent } | { readonly kind: 'broken'; readonly break: BrokenChain };

/** Each selected stream needs an open read. An order has few streams: its own, its callbacks, its card references. */
export const SELECTED_STREAMS_MAX = 60;

/**
 * Reads a stream from a revision, and resumes after the store was unavailable.
 * @throws BrokenChain, StoreUnavailable
 */
export async function* streamEvents(
  log: EventLog,
  stream: StreamName,
  from: Revision,
  retry: RetryPolicy,
): AsyncGenerator<StoredEvent, undefined> {
  let next = from;
  for (let failures = 0; ;) {
    try {
      for await (const event of log.read(stream, next)) {
        failures = 0;
        next = (event.revision + 1n) as Revision;
        yield event;
      }
      return undefined;
    } catch (error) {
      failures += 1;
      await retry.waitAfter(error, failures);
    }
  }
}

export const logEvents = (log: EventLog, selection: Selection, upTo: Position, retry: RetryPolicy): AsyncGenerator<LogItem, undefined> =>
  selection === 'all' ? wholeLog(log, 'start', upTo, retry) : selectedStreams(log, selection, upTo, retry);

/** As `logEvents` of the whole log, after `from` (exclusive). */
export async function* wholeLog(
  log: EventLog,
  from: Position | 'start',
  upTo: Position,
  retry: RetryPolicy,
): AsyncGenerator<LogItem, undefined> {
  const isBeyond = (position: Position): boolean => log.comparePositions(position, upTo) > 0;
  let after = from;
  for (let failures = 0; ;) {
    try {
      const subscription = log.subscribe('all', after);
      try {
        for await (const item of subscription) {
          if (item.kind === 'caught-up') return undefined;
          const position = item.kind === 'event' ? item.event.position : item.position;
          if (isBeyond(position)) return undefined;
          failures = 0;
          after = position;
          if (item.kind === 'event') yield item;
        }
      } finally {
        await subscription.cancel();
      }
      throw new StoreUnavailable('the log’s subscription ended before the log did');
    } catch (error) {
      if (error instanceof BrokenChain) {
        if (isBeyond(error.event.position)) return undefined;
        after = error.event.position;
        yield { kind: 'broken', break: error };
        continue;
      }
      failures += 1;
      await retry.waitAfter(error, failures);
    }
  }
}

interface OpenStream {
  readonly events: AsyncGenerator<StoredEvent, undefined>;
  head: StoredEvent | undefined;
}

async function* selectedStreams(
  log: EventLog,
  names: readonly StreamName[],
  upTo: Position,
  retry: RetryPolicy,
): AsyncGenerator<LogItem, undefined> {
  if (names.length > SELECTED_STREAMS_MAX) throw new Error(`at most ${SELECTED_STREAMS_MAX} streams at once, not ${names.length}`);
  const streams: OpenStream[] = [...new Set(names)].map((name) => ({
    events: streamEvents(log, name, 0n as Revision, retry),
    head: undefined,
  }));
  const step = async (stream: OpenStream): Promise<BrokenChain | undefined> => {
    try {
      const result = await stream.events.next();
      stream.head = result.done === true || log.comparePositions(result.value.position, upTo) > 0 ? undefined : result.value;
      return undefined;
    } catch (error) {
      if (!(error instanceof BrokenChain)) throw error;
      stream.head = undefined;
      return error;
    }
  };
  try {
    for (const stream of streams) {
      const broken = await step(stream);
      if (broken !== undefined) yield { kind: 'broken', break: broken };
    }
    for (let eldest = eldestOf(log, streams); eldest?.head !== undefined; eldest = eldestOf(log, streams)) {
      yield { kind: 'event', event: eldest.head };
      const broken = await step(eldest);
      if (broken !== undefined) yield { kind: 'broken', break: broken };
    }
    return undefined;
  } finally {
    await Promise.all(streams.map(({ events }) => events.return(undefined)));
  }
}

const eldestOf = (log: EventLog, streams: readonly OpenStream[]): OpenStream | undefined => {
  let eldest: OpenStream | undefined;
  for (const stream of streams) {
    if (stream.head === undefined) continue;
    if (eldest?.head === undefined || log.comparePositions(stream.head.position, eldest.head.position) < 0) eldest = stream;
  }
  return eldest;
};
