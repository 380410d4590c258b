import { build } from 'esbuild';
import { readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../../..');
const LIBS = join(ROOT, 'libs');

/**
 * Packs worker threads once per test run (`node-environment.cjs`). Compiling TypeScript costs each thread 75 ms, and a run starts thousands.
 * @returns a function that removes the files
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
