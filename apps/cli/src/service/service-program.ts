import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailed } from '../command-failed';

export type BuiltApp = 'orchestrator' | 'merchant-server';

/** A built program, which lies beside this one in the build. @throws CommandFailed where it was not built */
export const builtProgram = (app: BuiltApp): string => {
  const program = join(__dirname, '..', '..', '..', app, 'src', 'main.js');
  if (!existsSync(program)) throw new CommandFailed(`the ${app} is not built: npm run build`);
  return program;
};
