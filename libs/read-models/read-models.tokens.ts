import { token } from '@app/kernel/injection';
import type { CorruptRow } from './engine/project-from-log';
import type { ParkedStream } from './engine/projecting/projector';
import type { ReadModelDatabase } from './engine/database/database';
import type { ReadModel } from './read-model';

/** Opened after the log, and closed with the read models. */
export const READ_MODEL_DATABASE = token<ReadModelDatabase>('READ_MODEL_DATABASE');

export const READ_MODEL = token<ReadModel>('READ_MODEL');

export interface ProjectionsListener {
  waiting(error: Error | undefined): void;
  parkedAtBuild(parked: ParkedStream): void;
  aheadOfLog(projections: readonly string[]): void;
  rowCorrupt(row: CorruptRow): void;
}

export const PROJECTIONS_LISTENER = token<ProjectionsListener>('PROJECTIONS_LISTENER');
