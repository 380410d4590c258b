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

it('the root is the nearest folder above the program with a package.json, which tells the release', async () => {
  writeFileSync(join(folder, 'package.json'), '{ "version": "9.8.7" }');
  const { packageRoot, packageVersion } = await installed();
  expect([packageRoot(), packageVersion()]).toStrictEqual([folder, '9.8.7']);
});

it('a program without a package.json above it has no root', async () => {
  const { packageRoot } = await installed();
  expect(() => packageRoot()).toThrow(new Error('no package.json above the program'));
});
