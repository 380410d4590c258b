import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { bugOf, PACKED, packedRequire, packing, plantedBugs, planting } from './packing.mjs';

const run = async () => {
  process.once('exit', () => rmSync(PACKED, { recursive: true, force: true }));
  const { values } = parseArgs({ options: { planted: { type: 'string' } }, strict: false });
  const edits = values.planted === undefined ? [] : bugOf(await plantedBugs(), values.planted).edits;
  const plugins = edits.length === 0 ? [] : [planting(edits)];
  await build(packing(['main', 'seed-worker'], plugins));
  process.setSourceMapsEnabled(true);
  packedRequire(join(PACKED, 'main.cjs'));
};

run().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
});
