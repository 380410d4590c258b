import { token } from '@app/kernel/injection';
import type { CorruptRow } from './engine/fold-from-log';
import type { ParkedStream } from './engine/projecting/projector';
import type { ReadModelDatabase } from './engine/database/database';
import type { ReadModel } from './read-model';

/** Their tables; opened behind the log, and closed with the read models. */
export const READ_MODEL_DATABASE = token<ReadModelDatabase>('READ_MODEL_DATABASE');

export const READ_MODEL = token<ReadModel>('READ_MODEL');

/** Hears what the read models alarm about. */
export interface ProjectionsWatch {
  /** Another process projects, or the database is away (then with its error); told every second while this one waits for its turn. */
  waiting(error: Error | undefined): void;
  parkedAtBuild(parked: ParkedStream): void;
  aheadOfLog(projections: readonly string[]): void;
  rowCorrupt(row: CorruptRow): void;
}

export const PROJECTIONS_WATCH = token<ProjectionsWatch>('PROJECTIONS_WATCH');
