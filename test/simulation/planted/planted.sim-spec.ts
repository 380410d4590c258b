import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bugsAreFound, IN_EACH_RUN } from './found-by-seeds';
import { PLANTED_BUGS } from './planted-bugs';

const ROOT = join(__dirname, '../../..');

describe('a planted bug (safety, section 4)', () => {
  it.each(PLANTED_BUGS)('$name: each edit matches the current code exactly once', async ({ edits }) => {
    for (const { file, find } of edits) {
      const text = await readFile(join(ROOT, file), 'utf8');
      expect([file, text.split(find).length - 1]).toStrictEqual([file, 1]);
    }
  });

  bugsAreFound(PLANTED_BUGS.filter(({ name }) => name === IN_EACH_RUN));
});
