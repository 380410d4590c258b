import { join } from 'node:path';
import type { OrchestratorEnvironment } from '@app/configuration';
import type { RetentionRules } from '@app/investigation/erasure';
import type { ThreadProgram } from '@app/read-models/thread';

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
