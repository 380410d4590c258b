import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailed } from '../command-failed';

/** The built orchestrator, which lies beside this program in the build. @throws CommandFailed where it was not built */
export const serviceProgram = (): string => {
  const program = join(__dirname, '..', '..', '..', 'orchestrator', 'src', 'main.js');
  if (!existsSync(program)) throw new CommandFailed('the orchestrator is not built: npm run build');
  return program;
};
