import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

/** The folder of package.json, where npm starts a script. */
export const ROOT = resolve('.');

const load = createRequire(join(ROOT, 'package.json'));

/** A module of the build, `apps/...` or `libs/...`; its types are named by the caller as `typeof import('@app/...')`. */
export const built = <Module>(path: string): Module => load(join(ROOT, 'dist', path)) as Module;
