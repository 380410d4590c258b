import { readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

/**
 * Packs the simulation into one file for the command and one for its workers, and runs the command. Packed code runs a world in four fifths of the time, and
 * a planted bug is put into the text as it is packed: no file is changed, and no other process sees it.
 */
const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = resolve(HERE, '../../..');
/** As deep as a test's folder: what is read from the repository is found from there too. Each run has its own, for another one may pack other code meanwhile. */
const PACKED = join(ROOT, 'node_modules', '.cache', `simulation-${process.pid}`);
const require = createRequire(import.meta.url);

const pack = ({ entries, outdir, plugins = [] }) =>
  build({
    absWorkingDir: ROOT,
    entryPoints: entries,
    outdir,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    target: 'node20',
    packages: 'external',
    sourcemap: true,
    logLevel: 'warning',
    plugins,
  });

/** @throws Error where a place of the bug is not in its file exactly once */
const planted = (edits) => ({
  name: 'planted bug',
  setup: ({ onLoad }) => {
    const byFile = new Map();
    for (const edit of edits) byFile.set(join(ROOT, edit.file), [...(byFile.get(join(ROOT, edit.file)) ?? []), edit]);
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const own = byFile.get(path);
      if (own === undefined) return undefined;
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

const editsOf = async (name) => {
  await pack({ entries: [join(HERE, '../planted/planted-bugs.ts')], outdir: PACKED });
  const { PLANTED_BUGS } = require(join(PACKED, 'planted-bugs.cjs'));
  const bug = PLANTED_BUGS.find((one) => one.name === name);
  if (bug === undefined) throw new Error(`no planted bug is named ${name}; there are ${PLANTED_BUGS.map((one) => one.name).join(', ')}`);
  return bug.edits;
};

const run = async () => {
  process.once('exit', () => rmSync(PACKED, { recursive: true, force: true }));
  const { values } = parseArgs({ options: { planted: { type: 'string' } }, strict: false });
  const bug = values.planted;
  const plugins = bug === undefined ? [] : [planted(await editsOf(bug))];
  await pack({ entries: ['main', 'seed-worker'].map((name) => join(HERE, `${name}.ts`)), outdir: PACKED, plugins });
  process.setSourceMapsEnabled(true);
  require(join(PACKED, 'main.cjs'));
};

run().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
});
