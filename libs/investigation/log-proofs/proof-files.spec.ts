import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FILE_BYTES_MAX, FolderFiles, type ProofFiles } from './proof-files';
import { MemoryFiles } from './testing/memory-files';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'proof-files-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe.each<[string, () => ProofFiles]>([
  ['of a folder', () => new FolderFiles(join(folder, 'log-proofs'))],
  ['in memory', () => new MemoryFiles()],
])('proof files %s', (_, make) => {
  it('are written, replaced, read in parts, appended to, truncated and removed', async () => {
    const files = make();
    await expect(files.read('tile/0/000')).resolves.toBeUndefined();
    await expect(files.readPart('tile/0/000', 0, 4)).resolves.toBeUndefined();
    await expect(files.size('tile/0/000')).resolves.toBeUndefined();
    await files.write('tile/0/000', Buffer.from('first and longer'));
    await files.write('tile/0/000', Buffer.from('second'));
    await expect(files.read('tile/0/000')).resolves.toStrictEqual(Buffer.from('second'));
    await expect(files.readPart('tile/0/000', 3, 99)).resolves.toStrictEqual(Buffer.from('ond'));
    await files.append('history', Buffer.from('one'));
    await files.append('history', Buffer.from('two'));
    await expect(files.size('history')).resolves.toBe(6);
    await files.truncate('history', 4);
    await expect(files.read('history')).resolves.toStrictEqual(Buffer.from('onet'));
    await files.remove('history');
    await files.remove('history');
    await expect(files.read('history')).resolves.toBeUndefined();
  });
});

describe('FolderFiles', () => {
  it('creates files and folders that only the owner can use, and leaves no temporary file', async () => {
    const files = new FolderFiles(join(folder, 'log-proofs'));
    await files.write('tile/0/000', Buffer.from('x'));
    await files.append('checkpoints', Buffer.from('x'));
    const mode = (path: string): number => statSync(join(folder, 'log-proofs', path)).mode & 0o777;
    expect([mode('.'), mode('tile/0'), mode('tile/0/000'), mode('checkpoints')]).toStrictEqual([0o700, 0o700, 0o600, 0o600]);
    expect(readdirSync(join(folder, 'log-proofs', 'tile', '0'))).toStrictEqual(['000']);
  });

  it('neither reads nor writes while the directory above is missing', async () => {
    const mount = join(folder, 'mount');
    const files = new FolderFiles(join(mount, 'log-checkpoints'), mount);
    for (const work of [files.size('checkpoints'), files.readPart('checkpoints', 0, 1), files.append('checkpoints', Buffer.from('x'))])
      await expect(work).rejects.toThrow('ENOENT');
    expect(readdirSync(folder)).toStrictEqual([]);
    writeFileSync(mount, '');
    await expect(files.write('checkpoint', Buffer.from('x'))).rejects.toThrow('mount is no directory');
  });

  it('refuses to read a folder or a file above the size limit', async () => {
    const files = new FolderFiles(folder);
    mkdirSync(join(folder, 'state'));
    await expect(files.read('state')).rejects.toThrow('state: no regular file');
    writeFileSync(join(folder, 'huge'), Buffer.alloc(FILE_BYTES_MAX + 1));
    await expect(files.read('huge')).rejects.toThrow('huge: a file of more than 1048576 bytes');
  });
});
