import { assertChained, BrokenChain, hashOf } from '../chain/chain';
import type { Last } from '../core/envelope';
import type { Position, Revision, StoredEvent, StreamName } from '../core/port';
import { streamEvents, type EventLog } from './log-events';
import type { MonotonicWait } from './retry-policy';
import { brokenFault, streamFault, type StreamFault } from './stream-faults';

export interface ComparedLogs {
  readonly source: EventLog;
  readonly target: EventLog;
  /** What the source wrote after it does not count. */
  readonly upTo: Position;
  readonly patience: MonotonicWait;
}

export interface StreamComparison {
  /** In the source, as far as its chain holds. */
  readonly events: number;
  /** Of these, what the target holds. */
  readonly held: number;
  /** The target has such a stream, whatever stands in it. */
  readonly isHeld: boolean;
  /** Absent where the target holds the beginning of the source's stream, all of it or none. */
  readonly fault: StreamFault | undefined;
}

/** One stream of one side, each link of its chain checked as it is read. */
class ChainedStream {
  readonly #events: AsyncGenerator<StoredEvent, undefined>;
  #last: Last = 'no_stream';

  constructor(events: AsyncGenerator<StoredEvent, undefined>) {
    this.#events = events;
  }

  /** The hash of the next event. @throws BrokenChain */
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

/** Reads a stream on both sides, event by event. @throws StoreUnavailable */
export const compareStream = async ({ source, target, upTo, patience }: ComparedLogs, stream: StreamName): Promise<StreamComparison> => {
  const start = 0n as Revision;
  const ours = new ChainedStream(streamEvents(source, stream, start, patience));
  const theirs = new ChainedStream(streamEvents(target, stream, start, patience));
  const isOld = (event: StoredEvent): boolean => source.comparePositions(event.position, upTo) <= 0;
  let events = 0;
  let held = 0;
  let side: 'source-broken' | 'target-broken' = 'source-broken';
  let isHeld = false;
  let hasTargetEnded = false;
  const result = (fault: StreamFault | undefined): StreamComparison => ({ events, held, isHeld, fault });
  try {
    for (;;) {
      side = 'source-broken';
      const mine = await ours.next(isOld);
      if (mine !== undefined) events += 1;
      side = 'target-broken';
      const other = hasTargetEnded ? undefined : await theirs.next(() => true);
      if (other === undefined) hasTargetEnded = true;
      else isHeld = true;
      if (mine === undefined) return result(other === undefined ? undefined : streamFault(stream, 'target-ahead', other.revision));
      if (other === undefined) continue;
      if (other.hash !== mine.hash) return result(streamFault(stream, 'target-differs', mine.revision));
      held += 1;
    }
  } catch (error) {
    if (!(error instanceof BrokenChain)) throw error;
    // A broken event at the very beginning of the target: the stream is there.
    if (side === 'target-broken') isHeld = true;
    return result(brokenFault(stream, side, error));
  } finally {
    await Promise.all([ours.close(), theirs.close()]);
  }
};
