import type { Position } from '@app/event-store';
import type { ReadModelAddress } from './engine/database/database';
import { openReads } from './engine/database/open-database';
import { foldingFromLog, type LogTruth } from './engine/project-from-log';
import { leastOf } from './engine/projecting/partitions';
import { parkedStreamsIn } from './engine/projecting/parked-streams';
import type { ParkedStream } from './engine/projecting/projector';
import { READ_MODELS } from './projection-list';
import { Reader } from './engine/reader';
import { projectionStates } from './engine/projection-registry';
import { Queries } from './read-model-queries';

/** Queries of the read models for processes that do not project (architecture, "Stores"). */
export interface ReadModelReader extends Queries {
  /** The rows include all events up to here. Undefined if never built, or if partitions differ and no log can order their positions. */
  checkpoint(projection: string): Promise<Position | undefined>;
  parkedStreams(limit: number): Promise<readonly ParkedStream[]>;
  close(): Promise<void>;
}

/**
 * Opens the read models without writing; a corrupt row is answered from its stream but not repaired.
 * @throws Error if there is no usable read model
 */
export const openReadModelReader = async (place: ReadModelAddress, truth?: LogTruth): Promise<ReadModelReader> => {
  const database = await openReads(place);
  const { reads: db, close } = database;
  const reader = new Reader(database, new Map(READ_MODELS.map(({ name, shape }) => [name, shape])));
  return Object.assign(new Queries(reader, truth && foldingFromLog(truth)), {
    checkpoint: async (projection: string) => {
      const positions = (await projectionStates(db)).get(projection)?.positions ?? [];
      if (new Set(positions).size <= 1) return positions[0];
      return truth && leastOf(positions, (a, b) => truth.log.comparePositions(a, b));
    },
    parkedStreams: (limit: number) => parkedStreamsIn(db, limit),
    close,
  });
};
