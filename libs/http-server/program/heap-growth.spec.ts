import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Keeps 40 MB alive of which every part is soon replaced, and tells the most that the heap had, in MB. */
const LOAD = `
  const kept = [];
  let most = 0;
  for (let turn = 0; turn < 3_000_000; turn++) {
    kept[turn % 400_000] = { turn, text: [turn, turn, turn] };
    if (turn % 10_000 === 0) most = Math.max(most, process.memoryUsage().heapTotal);
  }
  process.stdout.write(String(most / 1e6));
`;

const mostOf = (before: string): number =>
  Number(execFileSync(process.execPath, ['--require', 'tsx/cjs', '--eval', `${before}; ${LOAD}`], { encoding: 'utf8' }));

describe('the growth of a heap', () => {
  it('is a part of what is alive, where the engine would let it be a multiple', () => {
    const bounded = mostOf(`require(${JSON.stringify(join(__dirname, 'heap-growth.ts'))}).boundHeapGrowth()`);
    expect(bounded).toBeLessThan(0.8 * mostOf(''));
  });
});
