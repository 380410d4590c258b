import { join } from 'node:path';
import type { SubscriptionRunner } from '@app/event-store';
import type { LogProofs } from '@app/investigation';
import { token } from '@app/kernel/injection';
import type { OrchestratorEnvironment } from '@app/configuration';
import type { RetentionRules } from '@app/investigation/erasure';
import type { ThreadProgram } from '@app/read-models/thread';

/** Work that a process does without a request: projections and due work. */
export interface RunningWork {
  readonly inFlight: number;
  /** 0 in a process without the role `worker`. */
  readonly inFlightMax: number;
  /** Undefined in a process without the role `worker`. */
  readonly projections: Pick<SubscriptionRunner, 'health'> | undefined;
  /** Undefined in a process without the role `worker`. */
  readonly logProofs: Pick<LogProofs, 'health'> | undefined;
  start(): Promise<void>;
  /** Begins nothing new, and waits so long for the work in progress. */
  stop(timeoutMs: number): Promise<void>;
}

export const NO_WORK: RunningWork = {
  inFlight: 0,
  inFlightMax: 0,
  projections: undefined,
  logProofs: undefined,
  start: () => Promise.resolve(),
  stop: () => Promise.resolve(),
};

export const RUNNING_WORK = token<RunningWork>('RUNNING_WORK');

/** What the thread is started with. */
export interface ProjectedFiles {
  /** Path of the event log. */
  readonly log: string;
  /** Path of the read models. */
  readonly readModel: string;
  readonly retention: RetentionRules;
}

/**
 * The thread that projects, where a process that works has log and read models in files. Elsewhere the database is a process of its own already, and a
 * process that only serves requests projects nothing.
 */
export const projectingProgram = (
  { eventStore, readModel, roles }: Pick<OrchestratorEnvironment, 'eventStore' | 'readModel' | 'roles'>,
  retention: RetentionRules,
): ThreadProgram | undefined => {
  if (eventStore.kind !== 'file' || readModel.kind !== 'file' || !roles.has('worker')) return undefined;
  const data: ProjectedFiles = { log: eventStore.path, readModel: readModel.path, retention };
  return { file: join(__dirname, 'read-model.worker'), callerFile: __filename, data };
};
