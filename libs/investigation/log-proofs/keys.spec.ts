import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeyRefused, makeSigningKeyFile, readOrMakeSigningKeyFile, readSigningKeyFile, readVerifyKeyFile } from './keys';
import { keyOfSeed } from './testing/log-keys';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-key-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

it('a new key is in a file of its owner alone, whose public half verifies what it signs', () => {
  const made = makeSigningKeyFile(at('keys/log.pem'));
  expect(statSync(at('keys/log.pem')).mode & 0o777).toBe(0o600);
  writeFileSync(at('log.pub'), `${made.textFor('log')}\n`);
  const verifier = readVerifyKeyFile(at('log.pub'));
  expect(verifier.isSignature('text\n', readSigningKeyFile(at('keys/log.pem')).sign('text\n'))).toBe(true);
  expect(verifier.isSignature('other\n', made.sign('text\n'))).toBe(false);
  expect(readdirSync(at('keys'))).toStrictEqual(['log.pem']);
});

it('a key never replaces another file', () => {
  writeFileSync(at('log.pem'), 'mine', { mode: 0o600 });
  expect(() => makeSigningKeyFile(at('log.pem'))).toThrow(
    new KeyRefused(`${at('log.pem')}: there is a file already, which is left as it is`),
  );
  expect(readFileSync(at('log.pem'), 'utf8')).toBe('mine');
  expect(readdirSync(folder)).toStrictEqual(['log.pem']);
});

it('a key that others may read is refused by its mode, one that is missing by its code, and no message holds it', () => {
  writeFileSync(at('log.pem'), keyOfSeed(1));
  chmodSync(at('log.pem'), 0o644);
  expect(() => readSigningKeyFile(at('log.pem'))).toThrow(new KeyRefused(`${at('log.pem')}: others may use it (mode 644); chmod 600 it`));
  chmodSync(at('log.pem'), 0o600);
  expect(readSigningKeyFile(at('log.pem')).textFor('log')).toMatch(/^log\+[0-9a-f]{8}\+/);
  expect(() => readSigningKeyFile(at('none'))).toThrow(new KeyRefused(`${at('none')}: it cannot be read (ENOENT)`));
  expect(() => readSigningKeyFile(folder)).toThrow('a regular file');
});

it('the sandbox makes its key once', () => {
  const first = readOrMakeSigningKeyFile(at('log.pem'));
  expect(readOrMakeSigningKeyFile(at('log.pem')).textFor('log')).toBe(first.textFor('log'));
});
