import type { Position, StreamName } from '@app/event-store';
import type { Clock } from '@app/kernel';
import type { LogTruth } from '../fold-from-log';
import type { ReadModelDatabase } from '../database/database';
import type { Failure } from '../faults';
import type { EventLog } from '../log-event';
import type { Projection, ProjectionTable } from '../projection';

export interface RebuildContext extends LogTruth {
  readonly database: ReadModelDatabase;
  readonly log: EventLog;
  readonly clock: Clock;
  /** Maximum of rows that are gathered before they are written. */
  readonly gatheredRowsMax?: number;
  /** Called after every folded batch. */
  readonly onProgress?: (progress: RebuildProgress) => void;
}

/** Progress of a rebuild; `head` is the last known end of the log. */
export interface RebuildProgress {
  readonly events: number;
  readonly position: Position;
  readonly head: Position;
}

/** A new generation of a projection, which does not serve yet. */
export interface Building {
  readonly projection: Projection;
  readonly generation: number;
  readonly table: ProjectionTable;
  readonly categories: ReadonlySet<string>;
  readonly parked: Set<StreamName>;
  /** Those that are not yet recorded. */
  failures: Failure[];
}
