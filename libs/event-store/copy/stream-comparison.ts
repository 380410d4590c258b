import { BrokenChain, assertChained, hashOf } from '../core/chain';
import type { Revision, StreamName, Position, StoredEvent } from '../core/port';
import type { Last } from '../core/envelope';
import { streamEvents, type EventLog } from './log-events';
import type { RetryPolicy } from './bounded-tasks';

type StreamFaultKind =
  'source-broken' | 'target-broken' | 'target-differs' | 'target-ahead' | 'target-behind' | 'target-alone' | 'target-refuses';

export interface StreamFault {
  readonly stream: StreamName;
  readonly revision: Revision;
  readonly kind: StreamFaultKind;
  readonly text: string;
}

const TEXTS: Readonly<Record<Exclude<StreamFaultKind, 'source-broken' | 'target-broken' | 'target-refuses'>, (at: Revision) => string>> = {
  'target-differs': (at) => `the target holds another event at revision ${at}`,
  'target-ahead': (at) => `the target goes on at revision ${at}, where the source has ended`,
  'target-behind': (at) => `the target ends before revision ${at}`,
  'target-alone': () => 'the target holds this stream, and the source does not',
};

export const streamFault = (stream: StreamName, kind: keyof typeof TEXTS, revision: Revision): StreamFault => ({
  stream,
  revision,
  kind,
  text: TEXTS[kind](revision),
});

export const brokenFault = (stream: StreamName, kind: 'source-broken' | 'target-broken', { event, fault }: BrokenChain): StreamFault => {
  const side = kind === 'source-broken' ? 'source' : 'target';
  return { stream, revision: event.revision, kind, text: `the ${side} is broken at revision ${event.revision}: ${fault}` };
};

/** Logs with more faulty streams are unrelated, so that a longer list would not help. */
export const FAULTY_STREAMS_MAX = 1_000;

export class StreamFaults {
  readonly #byStream = new Map<StreamName, StreamFault>();

  add(fault: StreamFault): void {
    if (!this.#byStream.has(fault.stream)) this.#byStream.set(fault.stream, fault);
  }

  has(stream: StreamName): boolean {
    return this.#byStream.has(stream);
  }

  get isFull(): boolean {
    return this.#byStream.size >= FAULTY_STREAMS_MAX;
  }

  get all(): readonly StreamFault[] {
    return [...this.#byStream.values()];
  }
}

interface ComparedLogs {
  readonly source: EventLog;
  readonly target: EventLog;
  readonly upTo: Position;
  readonly retry: RetryPolicy;
}

interface StreamComparison {
  /** Events of the source up to a break of its chain. */
  readonly events: number;
  readonly held: number;
  readonly isHeld: boolean;
  /** Undefined if the target's stream is a prefix of the source's, possibly empty. */
  readonly fault: StreamFault | undefined;
}

class ChainedStream {
  readonly #events: AsyncGenerator<StoredEvent, undefined>;
  #last: Last = 'no_stream';

  constructor(events: AsyncGenerator<StoredEvent, undefined>) {
    this.#events = events;
  }

  async next(isWanted: (event: StoredEvent) => boolean): Promise<{ readonly revision: Revision; readonly hash: string } | undefined> {
    const result = await this.#events.next();
    if (result.done === true || !isWanted(result.value)) return undefined;
    assertChained(result.value, this.#last);
    this.#last = { revision: result.value.revision, hash: hashOf(result.value) };
    return this.#last;
  }

  async close(): Promise<void> {
    await this.#events.return(undefined);
  }
}

/** Compares a stream of both logs event by event. @throws StoreUnavailable */
export const compareStream = async ({ source, target, upTo, retry }: ComparedLogs, stream: StreamName): Promise<StreamComparison> => {
  const start = 0n as Revision;
  const sourceStream = new ChainedStream(streamEvents(source, stream, start, retry));
  const targetStream = new ChainedStream(streamEvents(target, stream, start, retry));
  const isWithin = (event: StoredEvent): boolean => source.comparePositions(event.position, upTo) <= 0;
  let events = 0;
  let held = 0;
  let side: 'source-broken' | 'target-broken' = 'source-broken';
  let isHeld = false;
  let hasTargetEnded = false;
  const result = (fault: StreamFault | undefined): StreamComparison => ({ events, held, isHeld, fault });
  try {
    for (;;) {
      side = 'source-broken';
      const expected = await sourceStream.next(isWithin);
      if (expected !== undefined) events += 1;
      side = 'target-broken';
      const other = hasTargetEnded ? undefined : await targetStream.next(() => true);
      if (other === undefined) hasTargetEnded = true;
      else isHeld = true;
      if (expected === undefined) return result(other === undefined ? undefined : streamFault(stream, 'target-ahead', other.revision));
      if (other === undefined) continue;
      if (other.hash !== expected.hash) return result(streamFault(stream, 'target-differs', expected.revision));
      held += 1;
    }
  } catch (error) {
    if (!(error instanceof BrokenChain)) throw error;
    // Even a broken first event shows that the target has the stream.
    if (side === 'target-broken') isHeld = true;
    return result(brokenFault(stream, side, error));
  } finally {
    await Promise.all([sourceStream.close(), targetStream.close()]);
  }
};
