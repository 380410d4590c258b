import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const HERE = dirname(fileURLToPath(import.meta.url));
export const ROOT = resolve(HERE, '../../..');
/**
 * As deep as a test's folder, so that relative paths into the repository work. One per process, because another may pack different code.
 */
export const PACKED = join(ROOT, 'node_modules', '.cache', `simulation-${process.pid}`);
export const packedRequire = createRequire(import.meta.url);

/**
 * Bundles the simulation into single files, which saves a fifth of the time.
 * @param names of files of this folder, without their ending
 */
export const packing = (names, plugins = []) => ({
  absWorkingDir: ROOT,
  entryPoints: names.map((name) => join(HERE, `${name}.ts`)),
  outdir: PACKED,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  target: 'node20',
  packages: 'external',
  sourcemap: true,
  logLevel: 'warning',
  plugins,
});

export const plantedBugs = async () => {
  await build(packing(['../planted/planted-bugs']));
  const { PLANTED_BUGS } = packedRequire(join(PACKED, 'planted-bugs.cjs'));
  return new Map(PLANTED_BUGS.map((bug) => [bug.name, bug]));
};

export const bugOf = (bugs, name) => {
  const bug = bugs.get(name);
  if (bug === undefined) throw new Error(`no planted bug is named ${name}; there are ${[...bugs.keys()].join(', ')}`);
  return bug;
};

const SIGNS_OF_PATTERNS = /[.*+?^${}()|[\]\\/]/g;
const endingWith = (files) => new RegExp(`(?:${files.map((file) => file.replace(SIGNS_OF_PATTERNS, '\\$&')).join('|')})$`);

/**
 * Applies a bug's edits while bundling; no file changes.
 * @throws Error if an edit's text is not in its file exactly once
 */
export const planting = (edits) => ({
  name: 'planted bug',
  setup: ({ onLoad }) => {
    onLoad({ filter: endingWith(edits.map(({ file }) => file)) }, ({ path }) => {
      const own = edits.filter(({ file }) => join(ROOT, file) === path);
      const contents = own.reduce(
        (text, { file, find, put }) => {
          const parts = text.split(find);
          if (parts.length !== 2) throw new Error(`${file} has the text that the bug replaces ${parts.length - 1} times`);
          return parts.join(put);
        },
        readFileSync(path, 'utf8'),
      );
      return { contents, loader: 'ts' };
    });
  },
});
