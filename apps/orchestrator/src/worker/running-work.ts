import { join } from 'node:path';
import type { SubscriptionRunner } from '@app/event-store';
import type { LogProofs } from '@app/investigation';
import { token } from '@app/kernel/injection';
import type { OrchestratorEnvironment } from '@app/configuration';
import type { RetentionRules } from '@app/investigation/erasure';
import type { ThreadProgram } from '@app/read-models/thread';

/** Work of a process without a request: projections and work items. */
export interface RunningWork {
  readonly inFlight: number;
  readonly inFlightMax: number;
  /** Undefined in a process without the role `worker`. */
  readonly projections: Pick<SubscriptionRunner, 'health'> | undefined;
  /** Undefined in a process without the role `worker`. */
  readonly logProofs: Pick<LogProofs, 'health'> | undefined;
  start(): Promise<void>;
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

export interface ProjectedFiles {
  readonly log: string;
  readonly readModel: string;
  readonly retention: RetentionRules;
}

/** The projecting thread, for a worker with its log and read models in files. A database server is a separate process already. */
export const projectingProgram = (
  { eventStore, readModel, roles }: Pick<OrchestratorEnvironment, 'eventStore' | 'readModel' | 'roles'>,
  retention: RetentionRules,
): ThreadProgram | undefined => {
  if (eventStore.kind !== 'file' || readModel.kind !== 'file' || !roles.has('worker')) return undefined;
  const data: ProjectedFiles = { log: eventStore.path, readModel: readModel.path, retention };
  return { file: join(__dirname, 'read-model.worker'), callerFile: __filename, data };
};
