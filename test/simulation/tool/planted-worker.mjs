import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { context } from 'esbuild';
import { bugOf, PACKED, packedRequire, packing, plantedBugs, planting } from './packing.mjs';

/**
 * Asked by name, runs the world of one planted bug after the other. The packages that the service uses are loaded once for all of them, and what no bug
 * changes is parsed once: a program for each bug costs twice as much.
 */
const PACK = join(PACKED, 'violated.cjs');
process.once('exit', () => rmSync(PACKED, { recursive: true, force: true }));
process.on('disconnect', () => process.exit(0));

const begin = async () => {
  const bugs = await plantedBugs();
  let edits = [];
  const files = [...new Set([...bugs.values()].flatMap((bug) => bug.edits.map(({ file }) => file)))];
  // A bug may well be what a packer warns of.
  const packer = await context({ ...packing(['violated'], [planting(files, () => edits)]), logLevel: 'error' });
  return async (name) => {
    const bug = bugOf(bugs, name);
    edits = bug.edits;
    await packer.rebuild();
    try {
      return await packedRequire(PACK).violatedIn(bug.seed);
    } finally {
      delete packedRequire.cache[PACK];
    }
  };
};

const ready = begin();
process.on('message', (name) => {
  ready
    .then((violatedWith) => violatedWith(name))
    .then(
      (violated) => process.send({ violated }),
      (error) => process.send({ failed: String(error) }),
    );
});
