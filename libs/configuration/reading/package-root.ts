import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of package.json, wherever the build lies below it, so that defaults do not depend on the working directory. */
export const packageRoot = (): string => {
  let folder = __dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    if (dirname(folder) === folder) throw new Error('no package.json above the program');
    folder = dirname(folder);
  }
  return folder;
};

/** The release by package.json, the same for a build and a checkout. */
export const packageVersion = (): string =>
  (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { readonly version: string }).version;
