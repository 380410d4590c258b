import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a program was built of. */
export interface BuildInfo {
  readonly version: string;
  /** Of the source; `unknown` where the build was not told. */
  readonly revision: string;
}

const UNKNOWN: BuildInfo = { version: 'unknown', revision: 'unknown' };

/** @param packageRoot where the build left `dist/build.json`; without one, as under a runner of tests, nothing is known */
export const readBuildInfo = (packageRoot: string): BuildInfo => {
  try {
    const { version, revision } = JSON.parse(readFileSync(join(packageRoot, 'dist', 'build.json'), 'utf8')) as Partial<BuildInfo>;
    return { version: version ?? UNKNOWN.version, revision: revision ?? UNKNOWN.revision };
  } catch {
    return UNKNOWN;
  }
};
