import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const BUILT = join(__dirname, '../../../dist/apps/console');
const ASSETS = join(BUILT, 'assets');
/** In bytes of gzip (ADR 52). */
const FIRST_SCREEN_MAX = 190_000;
const ALL_MAX = 300_000;

const sizeOf = (script: string): number => statSync(join(ASSETS, `${script}.gz`)).size;
const sizesOf = (scripts: readonly string[]): string => {
  const rows = scripts.map((script) => [sizeOf(script), script] as const).sort(([a], [b]) => b - a);
  return rows.map(([size, script]) => `${String(size).padStart(9)} ${script}`).join('\n');
};

it('the first screen loads at most 190 kB of compressed script, and all screens at most 300 kB', () => {
  const page = readFileSync(join(BUILT, 'index.html'), 'utf8');
  const first = [...page.matchAll(/"\/console\/assets\/([^"]+\.js)"/g)].map(([, script = '']) => script);
  const all = readdirSync(ASSETS).filter((name) => name.endsWith('.js'));
  const bytes = (scripts: readonly string[]): number => scripts.reduce((sum, script) => sum + sizeOf(script), 0);
  const sizes = `first screen: ${bytes(first)} bytes\n${sizesOf(first)}\nall screens: ${bytes(all)} bytes\n${sizesOf(all)}`;
  process.stdout.write(`${sizes}\n`);
  expect([sizes, first.length > 0, bytes(first) <= FIRST_SCREEN_MAX, bytes(all) <= ALL_MAX]).toStrictEqual([sizes, true, true, true]);
});

it('each script and style sheet is also there as brotli and gzip, and smaller', () => {
  for (const name of readdirSync(ASSETS).filter((file) => /\.(js|css)$/.test(file)))
    for (const ending of ['.br', '.gz'])
      expect([name, statSync(join(ASSETS, name + ending)).size < statSync(join(ASSETS, name)).size]).toStrictEqual([name, true]);
});
