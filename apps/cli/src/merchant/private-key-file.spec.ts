import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandFailed } from '../command-failed';
import { readPrivateKey } from './private-key-file';

const folder = mkdtempSync(join(tmpdir(), 'private-key-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (content: string): string => {
  const path = join(folder, 'key.pem');
  writeFileSync(path, content);
  return path;
};
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });

it('reads an RSA key in PEM', () => {
  const pem = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  expect(readPrivateKey(file(pem)).asymmetricKeyType).toBe('rsa');
});

it.each([
  ['no file', () => join(folder, 'none.pem')],
  ['no key', () => file('secret words')],
  ['the public half', () => file(rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string)],
  ['another kind of key', () => file(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string)],
  ['a file without end', () => file('x'.repeat(65_537))],
])('refuses %s, and quotes nothing of it', (_what, path) => {
  const read = () => readPrivateKey(path());
  expect(read).toThrow(CommandFailed);
  expect(read).not.toThrow(/secret words|BEGIN/);
});
