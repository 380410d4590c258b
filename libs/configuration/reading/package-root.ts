import { existsSync, readFileSync } from 'node:fs';
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

/** The release that this is, as package.json has it: true of a build and of a checkout alike. */
export const packageVersion = (): string =>
  (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { readonly version: string }).version;
