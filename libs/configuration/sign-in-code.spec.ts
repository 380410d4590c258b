import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Instant } from '@app/kernel';
import { makeSignInCode, useSignInCode } from './sign-in-code';

const NOW = 1_700_000_000_000 as Instant;
const later = (ms: number): Instant => (NOW + ms) as Instant;
const MINUTES_15 = 900_000;

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sign-in-code-'));
  path = join(folder, 'operator-token');
});
afterEach(() => rmSync(folder, { recursive: true }));

it('a code is valid once, for 15 minutes', () => {
  const code = makeSignInCode(path, NOW);
  expect(code).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(useSignInCode(path, `${code}x`, NOW)).toBe(false);
  expect(useSignInCode(path, code, later(MINUTES_15))).toBe(false);
  expect(useSignInCode(path, code, later(MINUTES_15 - 1))).toBe(true);
  expect(useSignInCode(path, code, NOW)).toBe(false);
  expect(readdirSync(folder)).toStrictEqual([]);
});

it('a new code replaces an unused one', () => {
  const [first, second] = [makeSignInCode(path, NOW), makeSignInCode(path, NOW)];
  expect([useSignInCode(path, first, NOW), useSignInCode(path, second, NOW)]).toStrictEqual([false, true]);
});

it('the file is for its owner only, and contains no code', () => {
  writeFileSync(`${path}.code`, '', { mode: 0o644 });
  const code = makeSignInCode(path, NOW);
  expect(statSync(`${path}.code`).mode & 0o777).toBe(0o600);
  expect(readFileSync(`${path}.code`, 'utf8')).not.toContain(code);
});

it.each(['', ' ', 'x'.repeat(1_000), `${'0'.repeat(64)} never\n`])('no code is valid if the file contains %j', (content) => {
  writeFileSync(`${path}.code`, content);
  for (const code of ['', '0', 'undefined']) expect(useSignInCode(path, code, NOW)).toBe(false);
});
