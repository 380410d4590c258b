import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { readCheckpoint, readLogKey } from '@app/proofs';
import {
  KeyRefused,
  makeSigningKeyFile,
  readOrMakeSigningKeyFile,
  readSigningKeyFile,
  readVerifyKeyFile,
  type Checkpoint,
  isCheckpointOf,
  isSignedBy,
  parseCheckpoint,
  parseNote,
  signCheckpoint,
  type SignedCheckpoint,
  timeLine,
  timeOf,
  readSigningKey,
  readVerifyKey,
} from './checkpoint';
import { keyOfSeed } from './testing/log-keys';
import { CheckpointHistory } from './checkpoint-stores';
import { MemoryFiles } from './testing/memory-files';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-key-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

it('makeSigningKeyFile creates a file that only its owner can read, with a key whose public half verifies signatures', () => {
  const made = makeSigningKeyFile(at('keys/log.pem'));
  expect(statSync(at('keys/log.pem')).mode & 0o777).toBe(0o600);
  writeFileSync(at('log.pub'), `${made.textFor('log')}\n`);
  const verifier = readVerifyKeyFile(at('log.pub'));
  expect(verifier.isSignature('text\n', readSigningKeyFile(at('keys/log.pem')).sign('text\n'))).toBe(true);
  expect(verifier.isSignature('other\n', made.sign('text\n'))).toBe(false);
  expect(readdirSync(at('keys'))).toStrictEqual(['log.pem']);
});

it('makeSigningKeyFile never replaces an existing file', () => {
  writeFileSync(at('log.pem'), 'mine', { mode: 0o600 });
  expect(() => makeSigningKeyFile(at('log.pem'))).toThrow(new KeyRefused(`${at('log.pem')}: the file exists already and was not changed`));
  expect(readFileSync(at('log.pem'), 'utf8')).toBe('mine');
  expect(readdirSync(folder)).toStrictEqual(['log.pem']);
});

it('readSigningKeyFile refuses a key file that others can read, a missing file and a folder', () => {
  writeFileSync(at('log.pem'), keyOfSeed(1));
  chmodSync(at('log.pem'), 0o644);
  expect(() => readSigningKeyFile(at('log.pem'))).toThrow(
    new KeyRefused(`${at('log.pem')}: other users can access it (mode 644); chmod 600 it`),
  );
  chmodSync(at('log.pem'), 0o600);
  expect(readSigningKeyFile(at('log.pem')).textFor('log')).toMatch(/^log\+[0-9a-f]{8}\+/);
  expect(() => readSigningKeyFile(at('none'))).toThrow(new KeyRefused(`${at('none')}: it cannot be read (ENOENT)`));
  expect(() => readSigningKeyFile(folder)).toThrow('a regular file');
});

it('readOrMakeSigningKeyFile makes a key only once', () => {
  const first = readOrMakeSigningKeyFile(at('log.pem'));
  expect(readOrMakeSigningKeyFile(at('log.pem')).textFor('log')).toBe(first.textFor('log'));
});

const key = readSigningKey(keyOfSeed(1));
const other = readSigningKey(keyOfSeed(2));
const ORIGIN = 'pay.example/log';
const checkpoint = (size: number, extensions: readonly string[] = []): Checkpoint => ({
  origin: ORIGIN,
  size,
  root: Buffer.alloc(32, size % 251),
  extensions,
});

describe('log key', () => {
  it('is exported as its public half with a name, and read back', () => {
    const text = key.textFor(ORIGIN);
    // Computed with another implementation of Ed25519 and SHA-256 from the same seed.
    expect(text).toBe('pay.example/log+d0347536+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c');
    const read = readVerifyKey(`${text}\n`);
    expect([read.name, read.idFor('x')]).toStrictEqual([ORIGIN, key.verifier.idFor('x')]);
    const pem = createPublicKey(keyOfSeed(1)).export({ format: 'pem', type: 'spki' }).toString();
    expect(readVerifyKey(pem).idFor(ORIGIN)).toStrictEqual(key.verifier.idFor(ORIGIN));
  });

  it.each([
    ['nothing', ''],
    ['a key of another kind', generateKeyPairSync('x25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()],
    ['a text that is no key', '-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----\n'],
  ])('is refused if the file contains %s, without its content in the error', (_, text) => {
    const refused = new KeyRefused('one Ed25519 private key in PEM (PKCS #8), without a pass phrase, is expected');
    expect(() => readSigningKey(text)).toThrow(refused);
  });

  it('is refused as a public key if it is private, or if its id does not match', () => {
    expect(() => readVerifyKey(keyOfSeed(1))).toThrow(new KeyRefused('the public key is expected, not the private key'));
    expect(() => readVerifyKey(key.textFor(ORIGIN).replace('pay.', 'say.'))).toThrow(KeyRefused);
  });
});

describe('signed note (C2SP signed-note)', () => {
  /** Published example of golang.org/x/mod/sumdb/note. */
  const EXAMPLE =
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n" +
    '\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';
  const NEUMANN = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';

  it('of another implementation is accepted', () => {
    const note = parseNote(EXAMPLE);
    expect(note && isSignedBy(note, 'PeterNeumann', readVerifyKey(NEUMANN))).toBe(true);
    expect(readLogKey(NEUMANN)?.hasSigned(EXAMPLE, 'PeterNeumann')).toBe(true);
    for (const forged of [EXAMPLE.replace('problem,', 'problem.'), EXAMPLE.replace('ZJku', 'ZJkv')])
      expect(readLogKey(NEUMANN)?.hasSigned(forged, 'PeterNeumann')).toBe(false);
    expect(readLogKey(NEUMANN)?.hasSigned(EXAMPLE, 'Neumann')).toBe(false);
  });

  it('is refused with another text, another name or another key', () => {
    const changed = parseNote(EXAMPLE.replace('problem,', 'problem.'));
    expect(changed && isSignedBy(changed, 'PeterNeumann', readVerifyKey(NEUMANN))).toBe(false);
    const note = parseNote(EXAMPLE);
    expect(note && isSignedBy(note, 'PeterNeumann', key.verifier)).toBe(false);
    expect(note && isSignedBy(note, 'AnotherName', readVerifyKey(NEUMANN))).toBe(false);
  });
});

describe('checkpoint (C2SP tlog-checkpoint)', () => {
  it('is a note of origin, size and root, and is read back with its extension lines', () => {
    // Written by earlier releases; signed with the rest, and ignored.
    const former = 'after old/log 7 AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwM=';
    const extensions = [timeLine(1_700_000_000_000), former];
    const signed = signCheckpoint(checkpoint(5, extensions), key);
    expect(signed.note.split('\n').slice(0, -2)).toStrictEqual([
      ORIGIN,
      '5',
      'BQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQU=',
      'time 2023-11-14T22:13:20.000Z',
      former,
      '',
    ]);
    const read = parseCheckpoint(signed.note) as SignedCheckpoint;
    expect(read).toStrictEqual(signed);
    expect(isCheckpointOf(read, key.verifier)).toBe(true);
    expect(timeOf(read)).toBe('2023-11-14T22:13:20.000Z');
  });

  it('is refused if any character changes, or if another key signed it', () => {
    const { note } = signCheckpoint(checkpoint(5, [timeLine(0)]), key);
    const publicKey = readLogKey(key.textFor(ORIGIN));
    const isAccepted = (text: string): boolean => {
      const read = parseCheckpoint(text);
      const isSigned = read !== undefined && isCheckpointOf(read, key.verifier);
      const inBrowser = readCheckpoint(text);
      expect(inBrowser !== undefined && publicKey?.hasSigned(text, inBrowser.origin) === true).toBe(isSigned);
      return isSigned;
    };
    expect(isAccepted(note)).toBe(true);
    fc.assert(
      fc.property(fc.nat(note.length - 1), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), (at, put) => {
        fc.pre(note.slice(at, at + 1) !== put);
        expect(isAccepted(note.slice(0, at) + put + note.slice(at + 1))).toBe(false);
      }),
      { numRuns: 500 },
    );
    expect(isAccepted(signCheckpoint(checkpoint(5), other).note)).toBe(false);
  });

  it.each([
    ['no signature', `${ORIGIN}\n5\n${Buffer.alloc(32).toString('base64')}\n`],
    ['a size with a zero before it', signCheckpoint(checkpoint(5), key).note.replace('\n5\n', '\n05\n')],
    ['a size beyond all', signCheckpoint(checkpoint(5), key).note.replace('\n5\n', '\n9999999999999999\n')],
    ['a short root', signCheckpoint(checkpoint(5), key).note.replace('BQUF', '')],
    ['nothing', ''],
  ])('is not parsed with %s', (_, note) => {
    expect(parseCheckpoint(note)).toBeUndefined();
  });

  it('is not signed with an ambiguous origin or extension line', () => {
    expect(() => signCheckpoint({ ...checkpoint(5), origin: 'two words' }, key)).toThrow('not the name of a log');
    expect(() => signCheckpoint(checkpoint(5, ['']), key)).toThrow('a line of a checkpoint');
    expect(() => signCheckpoint(checkpoint(5, ['one\ntwo']), key)).toThrow('a line of a checkpoint');
  });
});

describe('CheckpointHistory', () => {
  const all = async (history: CheckpointHistory) => {
    const found = [];
    for await (const one of history.all()) found.push('unreadable' in one ? 'unreadable' : one.size);
    return found;
  };

  it('returns all checkpoints in order, across parts of the file, and finds the newest', async () => {
    const files = new MemoryFiles();
    const history = new CheckpointHistory(files);
    const newest = async (isWanted: (one: SignedCheckpoint) => boolean = () => true) => [...(await history.newestFirst())].find(isWanted);
    await expect(newest()).resolves.toBeUndefined();
    const notes = Array.from({ length: 2_000 }, (_, size) => signCheckpoint(checkpoint(size), key));
    for (const note of notes) await history.add(note);
    await expect(all(history)).resolves.toStrictEqual(notes.map(({ size }) => size));
    await expect(newest()).resolves.toStrictEqual(notes.at(-1));
    await expect(newest(({ size }) => size < 1_990)).resolves.toStrictEqual(notes[1_989]);
  });

  it('finds the oldest checkpoint of at least a given size, in a history of any length', async () => {
    const files = new MemoryFiles();
    const history = new CheckpointHistory(files);
    // About four hundred bytes each: more than two parts of the file.
    const notes = Array.from({ length: 1_500 }, (_, at) => signCheckpoint(checkpoint(1 + 3 * at + (at % 2), ['x'.repeat(300)]), key));
    for (const [at, note] of notes.entries()) {
      await history.add(note);
      if (at % 500 === 250) await files.append('checkpoints', Buffer.from('no note at all\n\n\n'));
    }
    for (let size = 0; size < 4_520; size += 17)
      expect((await history.oldest(size))?.size).toBe(notes.find((one) => one.size >= size)?.size);
    expect(await history.oldest(1, (one) => one.size > 100)).toMatchObject({ size: notes.find((one) => one.size > 100)?.size });
    expect(await new CheckpointHistory(new MemoryFiles()).oldest(0)).toBeUndefined();
  });

  it('drops only the checkpoint that an interrupted write left unfinished', async () => {
    const files = new MemoryFiles();
    await new CheckpointHistory(files).add(signCheckpoint(checkpoint(1), key));
    for (let kill = 0; kill < 2; kill++) {
      files.killAfter(kill);
      await new CheckpointHistory(files).add(signCheckpoint(checkpoint(2), key)).catch(() => undefined);
      files.revive();
      await expect(all(new CheckpointHistory(files))).resolves.toStrictEqual([1]);
    }
    await new CheckpointHistory(files).add(signCheckpoint(checkpoint(3), key));
    await expect(all(new CheckpointHistory(files))).resolves.toStrictEqual([1, 3]);
  });

  it('reports an unreadable entry, and continues after it', async () => {
    const files = new MemoryFiles();
    const history = new CheckpointHistory(files);
    await history.add(signCheckpoint(checkpoint(1), key));
    await files.append('checkpoints', Buffer.from('rubbish\n\n\n'));
    await history.add(signCheckpoint(checkpoint(2), key));
    await expect(all(history)).resolves.toStrictEqual([1, 'unreadable', 2]);
  });
});
