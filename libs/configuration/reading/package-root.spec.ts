import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'package-root-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Simulates an installation in a separate folder: the module searches for package.json from its own location. */
const installed = async (): Promise<typeof import('./package-root')> => {
  const place = join(folder, 'dist', 'libs');
  mkdirSync(place, { recursive: true });
  const program = join(place, 'package-root.ts');
  copyFileSync(join(__dirname, 'package-root.ts'), program);
  return (await import(program)) as typeof import('./package-root');
};

it('returns the nearest folder above the program that has a package.json, and its version', async () => {
  writeFileSync(join(folder, 'package.json'), '{ "version": "9.8.7" }');
  const { packageRoot, packageVersion } = await installed();
  expect([packageRoot(), packageVersion()]).toStrictEqual([folder, '9.8.7']);
});

it('throws if no folder above the program has a package.json', async () => {
  const { packageRoot } = await installed();
  expect(() => packageRoot()).toThrow(new Error('no package.json above the program'));
});
