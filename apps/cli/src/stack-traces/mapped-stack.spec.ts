import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { mappedStack } from './mapped-stack';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'mapped-stack-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const SOURCE = `
// A line that the build leaves out.
const fail = (): never => {
  throw new Error('a bug');
};
module.exports = fail;
`;

const failing = (isMapped: boolean): Error => {
  const { code, map } = transformSync(SOURCE, {
    loader: 'ts',
    minifyWhitespace: true,
    sourcemap: true,
    sourcefile: 'fail.ts',
    format: 'cjs',
  });
  const path = join(folder, 'fail.js');
  writeFileSync(path, code);
  if (isMapped) writeFileSync(`${path}.map`, map);
  // A packed build has all files in one line.
  const error = new Error('a bug');
  const column = code.indexOf('throw') + 1;
  error.stack = `Error: a bug\n    at fail (${path}:1:${column})\n    at file://${path}:1:${column}\n    at node:internal/main:1:2`;
  return error;
};

it('shows lines of the sources', () => {
  expect(mappedStack(failing(true)).split('\n')).toStrictEqual([
    'Error: a bug',
    `    at fail (${join(folder, 'fail.ts')}:4:3)`,
    `    at ${join(folder, 'fail.ts')}:4:3`,
    '    at node:internal/main:1:2',
  ]);
});

it('is the unchanged trace where no readable map lies beside the build', () => {
  const bare = failing(false);
  expect(mappedStack(bare)).toBe(bare.stack);
  writeFileSync(join(folder, 'fail.js.map'), '{"no": "map"}');
  expect(mappedStack(bare)).toBe(bare.stack);
});
