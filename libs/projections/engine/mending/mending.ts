import { categoryOf, type EventStore, type StreamName } from '@app/event-store';
import { foldedFrom, type Fold, type Folded } from '../folded-table';
import type { Decode } from '../log-event';
import type { Projection, TheLog } from '../projection';
import { streamEvents } from '../stream-events';

/** A row that does not hold what was written: its disk or its database changed it, or lost it. */
export interface RottenRow {
  readonly projection: string;
  readonly stream: StreamName;
}

/** What a row is held against, and who hears of one that rotted. */
export interface Truth {
  readonly log: Pick<EventStore, 'read'>;
  readonly decode: Decode;
  readonly onRotten?: (rotten: RottenRow) => void;
}

/** As the stream has it; undefined where the log has no such stream, for what names the stream may have rotted too. */
export type Mend = <View>(projection: string, fold: Fold<View>, stream: StreamName) => Promise<Folded<View> | undefined>;

/** For the tables that a projection writes. */
export const theLog = (truth: Truth, { name, categories }: Projection): TheLog => ({
  before: (stream, revision) => streamEvents(truth, new Set(categories), stream, revision),
  onRotten: (stream) => truth.onRotten?.({ projection: name, stream }),
});

/** Answers from the log where a row cannot be believed. @param repair writes the row anew, behind the answer; absent where nothing is written */
export const mending =
  (truth: Truth, repair?: (rotten: RottenRow) => void): Mend =>
  async (projection, fold, stream) => {
    truth.onRotten?.({ projection, stream });
    repair?.({ projection, stream });
    return foldedFrom(fold, await streamEvents(truth, new Set([categoryOf(stream)]), stream));
  };
