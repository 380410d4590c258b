import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of package.json, wherever the build lies below it: defaults hold from any working directory. */
export const packageRoot = (): string => {
  let folder = __dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    if (dirname(folder) === folder) throw new Error('no package.json above the program');
    folder = dirname(folder);
  }
  return folder;
};
