import { relative } from 'node:path';
import { shellWord } from '../merchant/shell-word';

/** A path as a shell in the folder of package.json names it. */
export const near = (root: string, path: string): string => {
  const below = relative(root, path);
  return shellWord(below.startsWith('..') ? path : below);
};

export interface ShownInstance {
  readonly dataDir: string;
  readonly configurationPath: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** Lines of the command line for an instance of the sandbox. */
export const orchLine =
  ({ dataDir, configurationPath, environment }: ShownInstance, root: string) =>
  (verb: string): string => {
    // The variable is shown instead of its value: an address may hold a password.
    const log = environment['EVENTSTORE_URL'] === undefined ? '' : 'EVENTSTORE_URL="$ESDB_URL" ';
    return `${log}DATA_DIR=${near(root, dataDir)} ORCH_CONFIG=${near(root, configurationPath)} npm run -s orch -- ${verb}`;
  };
