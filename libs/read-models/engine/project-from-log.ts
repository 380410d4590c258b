import { categoryOf, type EventStore, type StreamName } from '@app/event-store';
import { foldedFrom, type Fold, type Folded } from './folded-table';
import type { Decode } from './log-event';
import type { Projection, RowSource } from './projection';
import { streamEvents } from './stream-events';

export interface CorruptRow {
  readonly projection: string;
  readonly stream: StreamName;
}

export interface LogTruth {
  readonly log: Pick<EventStore, 'read' | 'comparePositions'>;
  readonly decode: Decode;
  readonly onCorruptRow?: (row: CorruptRow) => void;
}

/** Undefined if the log has no such stream: the stream's name may be corrupt too. */
export type ProjectFromLog = <View>(projection: string, fold: Fold<View>, stream: StreamName) => Promise<Folded<View> | undefined>;

export const rowSource = (truth: LogTruth, { name, categories }: Projection): RowSource => ({
  before: (stream, revision) => streamEvents(truth, new Set(categories), stream, revision),
  onCorrupt: (stream) => truth.onCorruptRow?.({ projection: name, stream }),
});

/** @param repair rewrites the row in the background; absent if nothing may be written */
export const foldingFromLog =
  (truth: LogTruth, repair?: (row: CorruptRow) => void): ProjectFromLog =>
  async (projection, fold, stream) => {
    truth.onCorruptRow?.({ projection, stream });
    repair?.({ projection, stream });
    return foldedFrom(fold, await streamEvents(truth, new Set([categoryOf(stream)]), stream));
  };
