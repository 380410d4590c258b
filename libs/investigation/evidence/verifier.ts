import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The text of the program that checks a pack. The build copies it beside the programs; a checkout that was not built has it elsewhere.
 * @param root the folder of package.json
 */
export const readVerifier = (root: string): string => {
  const built = join(root, 'dist', 'evidence', 'verify.py');
  return readFileSync(existsSync(built) ? built : join(root, 'libs', 'investigation', 'evidence', 'verify.py'), 'utf8');
};
