import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface BuildInfo {
  readonly version: string;
  /** Source revision; `unknown` if the build did not get it. */
  readonly revision: string;
}

const UNKNOWN: BuildInfo = { version: 'unknown', revision: 'unknown' };

/** @param packageRoot contains `dist/build.json`; without that file, as in tests, all is unknown */
export const readBuildInfo = (packageRoot: string): BuildInfo => {
  try {
    const { version, revision } = JSON.parse(readFileSync(join(packageRoot, 'dist', 'build.json'), 'utf8')) as Partial<BuildInfo>;
    return { version: version ?? UNKNOWN.version, revision: revision ?? UNKNOWN.revision };
  } catch {
    return UNKNOWN;
  }
};
