import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '@app/configuration';
import { CommandFailed } from '../command-failed';

export type BuiltApp = 'orchestrator' | 'merchant-server';

/** A built program. @throws CommandFailed where it was not built */
export const builtProgram = (app: BuiltApp): string => {
  const program = join(packageRoot(), 'dist', 'apps', app, 'src', 'main.js');
  if (!existsSync(program)) throw new CommandFailed(`the ${app} is not built: npm run build`);
  return program;
};
