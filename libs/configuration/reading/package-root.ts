import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Folder of package.json, however deep the build is below it. Makes defaults independent of the working directory. */
export const packageRoot = (): string => {
  let folder = __dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    if (dirname(folder) === folder) throw new Error('no package.json above the program');
    folder = dirname(folder);
  }
  return folder;
};

/** Release from package.json, the same for a build and a checkout. */
export const packageVersion = (): string =>
  (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { readonly version: string }).version;
