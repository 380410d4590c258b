import { join } from 'node:path';
import { hashOf, metadataOf, type AnyEvent, type EventStore, type StoredEvent, type StreamName } from '@app/event-store';
import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { systemScheduler } from '@app/kernel';
import { isEventOf } from '@app/orders/domain';
import { EVENT_CODECS, decodeAny } from '@app/read-models/queries';

export interface LoggedEvent {
  readonly stored: StoredEvent;
  readonly event: AnyEvent;
}

export type Streams = ReadonlyMap<StreamName, readonly LoggedEvent[]>;

const CATEGORIES = EVENT_CODECS.map(({ category }) => category);
const TOLD_CHARACTERS_MAX = 300;

export const readWholeLog = async (log: Pick<EventStore, 'subscribe'>): Promise<Streams> => {
  const streams = new Map<StreamName, LoggedEvent[]>();
  for await (const item of log.subscribe(CATEGORIES, 'start')) {
    if (item.kind === 'caught-up') break;
    if (item.kind !== 'event') continue;
    const event = decodeAny(item.event);
    if (event === undefined) throw new Error(`${item.event.stream}: an unknown category`);
    const stream = streams.get(item.event.stream);
    if (stream === undefined) streams.set(item.event.stream, [{ stored: item.event, event }]);
    else stream.push({ stored: item.event, event });
  }
  return streams;
};

export const readLogIn = async (dataDir: string): Promise<Streams> => {
  const reader = EmbeddedEventStore.openReader({ path: join(dataDir, 'events.sqlite'), scheduler: systemScheduler });
  try {
    return await readWholeLog(reader);
  } finally {
    await reader.close();
  }
};

export const told = (events: readonly LoggedEvent[] | undefined): string =>
  (events ?? [])
    .map(({ stored, event }) => `\n    ${stored.revision} ${event.type} ${stored.data.slice(0, TOLD_CHARACTERS_MAX)}`)
    .join('') || '\n    (no events)';

/** Revisions have no gap, and each event is the child of the one before (architecture, rule 7). */
export const chainFaults = (streams: Streams): string[] =>
  [...streams].flatMap(([stream, events]) =>
    events.flatMap(({ stored }, index) => {
      const before = events[index - 1];
      const isNext = stored.revision === BigInt(index);
      const isChild = metadataOf(stored).previousHash === (before === undefined ? null : hashOf(before.stored));
      return isNext && isChild ? [] : [`${stream}: the chain is broken at revision ${stored.revision}${told(events)}`];
    }),
  );

const LAST_WORDS: ReadonlySet<string> = new Set(['AttemptApproved', 'AttemptDeclined', 'AttemptNotAsked']);

export const isEnd = ({ event }: LoggedEvent): boolean => isEventOf(event, 'end');

/**
 * With one gate, a definite answer and the order's end are one append (architecture, rule 11). Compare envelopes: a server may store the
 * two at different moments.
 */
export const tornBatchFaults = (streams: Streams): string[] =>
  [...streams].flatMap(([stream, events]) =>
    events.flatMap((logged, index) => {
      if (!LAST_WORDS.has(logged.event.type)) return [];
      const next = events[index + 1];
      const isWhole = next !== undefined && isEnd(next) && metadataOf(next.stored).recordedAt === metadataOf(logged.stored).recordedAt;
      return isWhole ? [] : [`${stream}: ${logged.event.type} stands without the order's end${told(events)}`];
    }),
  );
