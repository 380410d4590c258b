import { existsSync } from 'node:fs';
import type { OrchestratorEnvironment } from '@app/merchant-accounts';
import { storePaths } from '../../../orchestrator/src/composition/stores';
import { CommandFailed } from '../command-failed';

export type StoreFiles = ReturnType<typeof storePaths>;

/** Where the embedded stores lie. @throws CommandFailed where a setting names a server, and where there is no event log yet */
export const storeFiles = (environment: OrchestratorEnvironment): StoreFiles => {
  const paths = pathsOf(environment);
  if (!existsSync(paths.events)) throw new CommandFailed(`there is no event log at ${paths.events}; DATA_DIR names the folder`);
  return paths;
};

const pathsOf = (environment: OrchestratorEnvironment): StoreFiles => {
  try {
    return storePaths(environment);
  } catch (error) {
    throw new CommandFailed(error instanceof Error ? error.message : String(error));
  }
};
