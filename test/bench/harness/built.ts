import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

export const ROOT = resolve('.');

const load = createRequire(join(ROOT, 'package.json'));

/** Loads a module of the build, `apps/...` or `libs/...`. The caller names its type: `typeof import('@app/...')`. */
export const built = <Module>(path: string): Module => load(join(ROOT, 'dist', path)) as Module;
