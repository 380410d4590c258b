import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { wrap } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Script } from 'node:vm';

const CHECKSUM_BYTES = 4;
const SOURCE = `
const { basename } = require('node:path');
const told = () => [require.main === module, basename(__filename), ...process.argv.slice(2)].join(' ');
process.umask(0o077);
console.log(told());
`;

let folder: string;
const at = (name: string): string => join(folder, name);
const run = (): string => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [at('main.js'), 'one', 'two'], { encoding: 'utf8' });
  expect([status, stderr]).toStrictEqual([0, '']);
  return stdout.trim();
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'packed-main-'));
  writeFileSync(at('packed.js'), SOURCE);
  copyFileSync(join(__dirname, 'packed-main.cjs'), at('main.js'));
  const kept = spawnSync(process.execPath, [join(__dirname, 'keep-compiled.cjs'), folder, 'warm', 'up'], { encoding: 'utf8' });
  expect([kept.status, kept.stderr]).toStrictEqual([0, '']);
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a packed program', () => {
  it('runs as its own main module with and without its compile cache', () => {
    const cachedData = readFileSync(at('packed.cache')).subarray(CHECKSUM_BYTES);
    expect(new Script(wrap(SOURCE), { cachedData: Buffer.from(cachedData) }).cachedDataRejected).toBe(false);
    expect(run()).toBe('true main.js one two');
    rmSync(at('packed.cache'));
    expect(run()).toBe('true main.js one two');
  });

  it('has a compile cache that other users can read', () => {
    expect(statSync(at('packed.cache')).mode & 0o777).toBe(0o644);
  });

  it.each<[string, (kept: Buffer) => Buffer]>([
    ['nothing', () => Buffer.alloc(0)],
    ['less than a checksum', (kept) => kept.subarray(0, CHECKSUM_BYTES - 1)],
    ['half of it', (kept) => kept.subarray(0, kept.length / 2)],
    ['one bit that fell over', (kept) => Buffer.from(kept.map((byte, index) => (index === kept.length >> 1 ? byte ^ 1 : byte)))],
  ])('is recompiled if the compile cache contains %s', (_, damaged) => {
    writeFileSync(at('packed.cache'), damaged(readFileSync(at('packed.cache'))));
    expect(run()).toBe('true main.js one two');
  });

  it('is recompiled if its source changed without changing length', () => {
    writeFileSync(at('packed.js'), SOURCE.replace("join(' ')", "join('-')"));
    expect(run()).toBe('true-main.js-one-two');
  });
});
