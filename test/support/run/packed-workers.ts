import { build } from 'esbuild';
import { readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../../..');
const LIBS = join(ROOT, 'libs');

/**
 * Packs the files of worker threads once for all test files of a run, which start them in the place of the sources (`node-environment.cjs`): a thread
 * that compiles its own TypeScript takes 75 ms more of a processor to start, and a run starts thousands.
 * @returns a function that removes them
 */
export const packWorkers = async (): Promise<() => void> => {
  const folder = join(ROOT, 'node_modules', '.cache', `workers-${process.pid}`);
  await build({
    absWorkingDir: ROOT,
    entryPoints: readdirSync(LIBS, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.worker.ts'))
      .map((name) => join(LIBS, name)),
    outbase: LIBS,
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
  process.env['PACKED_WORKERS'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
};
