import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { TypedSecrets } from './typed-secrets';

const NUMBER = '4444333322221111';
const BYTES_MAX = 4_096;

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'typed-secrets-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const secrets = new TypedSecrets({ input: new PassThrough(), isTerminal: false, ask: () => undefined });
const fileOf = (bytes: number): string => {
  const path = join(folder, 'card');
  writeFileSync(path, `${NUMBER}\n`.padEnd(bytes, 'x'));
  return path;
};

it('reads a secret from the first line of a 4096-byte file', async () => {
  expect((await secrets.read('--card', `@${fileOf(BYTES_MAX)}`, 'card'))?.reveal()).toBe(NUMBER);
});

it('rejects a file above 4096 bytes with exit code 2 and does not quote its content', async () => {
  const path = fileOf(BYTES_MAX + 1);
  await expect(secrets.read('--card', `@${path}`, 'card')).rejects.toMatchObject({
    name: 'CommandFailed',
    message: `--card @${path}: a file of at most ${BYTES_MAX} bytes that can be read is expected`,
    exitCode: 2,
  });
});
