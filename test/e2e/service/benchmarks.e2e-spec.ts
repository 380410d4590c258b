import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../..');
const BENCH = join(ROOT, 'test/bench');
/** The compiler checks the type argument but not the file name. */
const MODULE = /built<typeof import\('(@app\/[^']+)'\)>\(\s*'([^']+)'\s*\)/g;

it('benchmarks load only modules that the build contains', () => {
  const files = readdirSync(BENCH, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const loaded = files.flatMap((name) =>
    [...readFileSync(join(BENCH, name), 'utf8').matchAll(MODULE)].map(([, module = '', path = '']) => ({ name, module, path })),
  );
  expect(loaded.length).toBeGreaterThan(10);
  expect(loaded.filter(({ path }) => !existsSync(join(ROOT, 'dist', path)))).toStrictEqual([]);
});
