import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationFault } from './reading/fault';
import { newOperatorToken, readOperatorToken, readOrMakeOperatorToken, sha256OfToken } from './operator-token';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'operator-token-'))));
afterEach(() => rmSync(folder, { recursive: true }));

it('a new operator token is long and unique', () => {
  const tokens = Array.from({ length: 100 }, newOperatorToken);
  expect(new Set(tokens).size).toBe(100);
  for (const token of tokens) expect(token).toMatch(/^orchop_[A-Za-z0-9_-]{43}$/);
});

it('an operator token is verified by its SHA-256', () => {
  expect(sha256OfToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

it('the sandbox token is created once with mode 0600 and read at later starts', () => {
  const path = join(folder, 'data', 'operator-token');
  const token = readOrMakeOperatorToken(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, 'utf8')).toBe(`${token}\n`);
  expect(readOrMakeOperatorToken(path)).toBe(token);
  expect(readOperatorToken(path)).toBe(token);
  expect(readdirSync(join(folder, 'data'))).toStrictEqual(['operator-token']);
});

it.each<[string, (path: string) => void, string]>([
  ['there is none', () => undefined, 'cannot be read (ENOENT)'],
  ['others may read it', (path) => { writeFileSync(path, 'token\n'); chmodSync(path, 0o640); }, 'other users can access it (mode 640); chmod 600 it'], // prettier-ignore
  ['it is empty', (path) => writeFileSync(path, '\n', { mode: 0o600 }), 'contains no token'],
  ['it holds two', (path) => writeFileSync(path, 'secret-one secret-two', { mode: 0o600 }), 'contains no token'],
  ['it is a folder', (path) => mkdirSync(path), 'does not name a regular file'],
  ['it is large', (path) => writeFileSync(path, 'secret'.repeat(1_000), { mode: 0o600 }), 'more than 1024 bytes'],
])('the operator token file is rejected without quoting it if %s', (_what, make, problem) => {
  const path = join(folder, 'token');
  make(path);
  expect(() => readOperatorToken(path)).toThrow(problem);
  expect(() => readOperatorToken(path)).not.toThrow(/secret/);
});

it('the sandbox token is not created if its folder is a file, and the fault gives the reason', () => {
  const folderOf = join(folder, 'data');
  writeFileSync(folderOf, 'a file');
  const make = (): unknown => readOrMakeOperatorToken(join(folderOf, 'operator-token'));
  expect(make).toThrow(ConfigurationFault);
  expect(make).toThrow(/cannot be created \((ENOTDIR|EEXIST)\)/);
  expect(readFileSync(folderOf, 'utf8')).toBe('a file');
});
