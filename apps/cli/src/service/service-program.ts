import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../orchestrator/src/composition/package-root';
import { CommandFailed } from '../command-failed';

/** The built orchestrator. @throws CommandFailed where it was not built */
export const serviceProgram = (): string => {
  const program = join(packageRoot(), 'dist', 'apps', 'orchestrator', 'src', 'main.js');
  if (!existsSync(program)) throw new CommandFailed('the orchestrator is not built: npm run build');
  return program;
};
