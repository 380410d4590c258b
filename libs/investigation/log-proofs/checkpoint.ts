import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { secretFileProblem } from '@app/kernel';
import { HASH_BYTES, type TreeHead } from './merkle';

/** The signature type of Ed25519 (C2SP signed-note). */
const ED25519 = 1;
const KEY_ID_BYTES = 4;
const PUBLIC_KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** A file contains no usable key. The message never quotes it. */
export class KeyRefused extends Error {
  override readonly name = 'KeyRefused';
}

export interface VerifyKey {
  readonly name: string | undefined;
  /** Key id under that name: the first four bytes of a signature line. */
  idFor(name: string): Buffer;
  isSignature(text: string, signature: Uint8Array): boolean;
}

export interface SigningKey {
  readonly verifier: VerifyKey;
  sign(text: string): Buffer;
  /** Public half under a name, as `<name>+<id>+<key>` (C2SP signed-note). */
  textFor(name: string): string;
}

const rawPublicKey = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'spki' }).subarray(-PUBLIC_KEY_BYTES);

const keyIdOf = (name: string, publicKey: Uint8Array): Buffer =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(ED25519), publicKey]), 'buffer').subarray(0, KEY_ID_BYTES);

const verifyKeyOf = (key: KeyObject, name?: string): VerifyKey => {
  const raw = rawPublicKey(key);
  return {
    name,
    idFor: (signer) => keyIdOf(signer, raw),
    isSignature: (text, signature) => signature.length === SIGNATURE_BYTES && verify(null, Buffer.from(text), key, signature),
  };
};

const ed25519 = (make: () => KeyObject, expected: string): KeyObject => {
  let key: KeyObject | undefined;
  try {
    key = make();
  } catch {
    // The message of the library may quote the file.
  }
  if (key?.asymmetricKeyType !== 'ed25519') throw new KeyRefused(`${expected} is expected`);
  return key;
};

export const readSigningKey = (pem: string): SigningKey => {
  const key = ed25519(() => createPrivateKey(pem), 'one Ed25519 private key in PEM (PKCS #8), without a pass phrase,');
  const publicKey = createPublicKey(key);
  const raw = rawPublicKey(publicKey);
  return {
    verifier: verifyKeyOf(publicKey),
    sign: (text) => sign(null, Buffer.from(text), key),
    textFor: (name) => `${name}+${keyIdOf(name, raw).toString('hex')}+${Buffer.concat([Buffer.of(ED25519), raw]).toString('base64')}`,
  };
};

const SPKI_OF_ED25519 = Buffer.from('302a300506032b6570032100', 'hex');

const fromVerifierText = (text: string): VerifyKey | undefined => {
  const [name = '', id = '', ...rest] = text.split('+');
  const key = rest.join('+');
  const bytes = BASE64.test(key) ? Buffer.from(key, 'base64') : Buffer.alloc(0);
  if (name === '' || bytes.length !== 1 + PUBLIC_KEY_BYTES || bytes[0] !== ED25519) return undefined;
  const raw = bytes.subarray(1);
  if (keyIdOf(name, raw).toString('hex') !== id) return undefined;
  return verifyKeyOf(createPublicKey({ key: Buffer.concat([SPKI_OF_ED25519, raw]), format: 'der', type: 'spki' }), name);
};

/** @param text `<name>+<id>+<key>` (C2SP signed-note), or a public key in PEM @throws KeyRefused */
export const readVerifyKey = (text: string): VerifyKey => {
  const trimmed = text.trim();
  if (trimmed.includes('PRIVATE KEY')) throw new KeyRefused('the public key is expected, not the private key');
  const named = fromVerifierText(trimmed);
  if (named !== undefined) return named;
  return verifyKeyOf(ed25519(() => createPublicKey(trimmed), 'an Ed25519 public key, as "orch log key new" writes it or in PEM,'));
};

const FILE_BYTES_MAX = 65_536;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

const textOf = (path: string, isSecret: boolean): string => {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = fstatSync(descriptor);
    if (!stat.isFile() || stat.size > FILE_BYTES_MAX) throw new KeyRefused('a regular file of at most 65536 bytes is expected');
    const problem = isSecret ? secretFileProblem(resolve(path), stat.mode) : undefined;
    if (problem !== undefined) throw new KeyRefused(problem);
    return readFileSync(descriptor, 'utf8');
  } catch (error) {
    if (error instanceof KeyRefused) throw error;
    throw new KeyRefused(`it cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unreadable'})`);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
};

const named = <Key>(path: string, read: () => Key): Key => {
  try {
    return read();
  } catch (error) {
    throw error instanceof KeyRefused ? new KeyRefused(`${path}: ${error.message}`) : error;
  }
};

/** @throws KeyRefused if it is missing, accessible to others, or of another kind; never with its content */
export const readSigningKeyFile = (path: string): SigningKey => named(path, () => readSigningKey(textOf(path, true)));

export const readVerifyKeyFile = (path: string): VerifyKey => named(path, () => readVerifyKey(textOf(path, false)));

/**
 * Creates a key file for its owner only, atomically, and never replaces another.
 * @throws KeyRefused if one exists already, or it cannot be written
 */
export const makeSigningKeyFile = (path: string): SigningKey => {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  const unfinished = `${path}.${randomBytes(8).toString('hex')}.new`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE });
    const descriptor = openSync(unfinished, 'wx', FILE_MODE);
    try {
      writeSync(descriptor, pem);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    linkSync(unfinished, path);
  } catch (error) {
    const { code = 'unwritable' } = error as NodeJS.ErrnoException;
    throw new KeyRefused(
      code === 'EEXIST' ? `${path}: the file exists already and was not changed` : `${path}: it cannot be created (${code})`,
    );
  } finally {
    rmSync(unfinished, { force: true });
  }
  return readSigningKeyFile(path);
};

/** The sandbox's own key, created at its first start. If processes start at once, one creates it and the others use it. @throws KeyRefused */
export const readOrMakeSigningKeyFile = (path: string): SigningKey => {
  if (existsSync(path)) return readSigningKeyFile(path);
  try {
    return makeSigningKeyFile(path);
  } catch (error) {
    if (existsSync(path)) return readSigningKeyFile(path);
    throw error;
  }
};

interface SignedNote {
  /** Ends with a line feed. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

interface NoteSignature {
  readonly name: string;
  readonly keyId: Buffer;
  readonly signature: Buffer;
}

export const NOTE_CHARACTERS_MAX = 65_536;
const SIGNATURES_MAX = 64;
const NAME = /^[^\s+\u0085\u200b\ufeff]{1,255}$/u;
const SIGNATURE_LINE = /^\u2014 (\S+) ([A-Za-z0-9+/]+={0,2})$/;
// eslint-disable-next-line no-control-regex -- the specification excludes them by their codes
const CONTROL = /[\u0000-\u0009\u000b-\u001f]/;

export const isKeyName = (name: string): boolean => NAME.test(name) && !CONTROL.test(name);

const signatureIn = (line: string): NoteSignature | undefined => {
  const [, name = '', base64 = ''] = SIGNATURE_LINE.exec(line) ?? [];
  const bytes = Buffer.from(base64, 'base64');
  if (!isKeyName(name) || bytes.length <= KEY_ID_BYTES || bytes.toString('base64') !== base64) return undefined;
  return { name, keyId: bytes.subarray(0, KEY_ID_BYTES), signature: bytes.subarray(KEY_ID_BYTES) };
};

/** Undefined if the text is no signed note. Does not verify signatures. */
export const parseNote = (note: string): SignedNote | undefined => {
  if (note.length > NOTE_CHARACTERS_MAX || CONTROL.test(note) || !note.endsWith('\n') || !note.isWellFormed()) return undefined;
  const at = note.lastIndexOf('\n\n');
  if (at < 0) return undefined;
  const lines = note.slice(at + 2, -1).split('\n');
  const signatures = lines.flatMap((line) => signatureIn(line) ?? []);
  if (signatures.length !== lines.length || lines.length > SIGNATURES_MAX) return undefined;
  return { text: note.slice(0, at + 1), signatures };
};

export const signNote = (text: string, name: string, key: SigningKey): string => {
  const signature = Buffer.concat([key.verifier.idFor(name), key.sign(text)]).toString('base64');
  return `${text}\n\u2014 ${name} ${signature}\n`;
};

/** True if the key signed the note under this name. An invalid signature of this key refuses the note; other keys are ignored (C2SP signed-note). */
export const isSignedBy = ({ text, signatures }: SignedNote, name: string, key: VerifyKey): boolean => {
  const keyId = key.idFor(name);
  const own = signatures.filter((one) => one.name === name && one.keyId.equals(keyId));
  return own.length > 0 && own.every(({ signature }) => key.isSignature(text, signature));
};

export interface Checkpoint extends TreeHead {
  /** The log's name, which is unique. */
  readonly origin: string;
  readonly root: Buffer;
  /** Lines after the root; ours begin with a word that identifies them. */
  readonly extensions: readonly string[];
}

export interface SignedCheckpoint extends Checkpoint {
  /** The note, byte for byte. */
  readonly note: string;
}

const SIZE = /^(0|[1-9]\d{0,15})$/;
const BASE64_HASH = /^[A-Za-z0-9+/]{43}=$/;

const checkpointText = ({ origin, size, root, extensions }: Checkpoint): string => {
  if (!isKeyName(origin)) throw new Error(`not the name of a log: ${JSON.stringify(origin)}`);
  if (!extensions.every((line) => line !== '' && !/\p{Cc}/u.test(line)))
    throw new Error('a line of a checkpoint is neither empty nor broken');
  return `${[origin, size, Buffer.from(root).toString('base64'), ...extensions].join('\n')}\n`;
};

export const signCheckpoint = (checkpoint: Checkpoint, key: SigningKey): SignedCheckpoint => ({
  ...checkpoint,
  note: signNote(checkpointText(checkpoint), checkpoint.origin, key),
});

/** Undefined if the note is no checkpoint. Does not verify signatures. */
export const parseCheckpoint = (note: string): SignedCheckpoint | undefined => {
  const [origin = '', size = '', root = '', ...extensions] = parseNote(note)?.text.slice(0, -1).split('\n') ?? [];
  const bytes = Buffer.from(root, 'base64');
  if (origin === '' || !SIZE.test(size) || !BASE64_HASH.test(root) || bytes.length !== HASH_BYTES) return undefined;
  if (bytes.toString('base64') !== root || !Number.isSafeInteger(Number(size)) || extensions.includes('')) return undefined;
  return { origin, size: Number(size), root: bytes, extensions, note };
};

/** True if the log's own key signed it, under the name of its origin. */
export const isCheckpointOf = ({ origin, note }: SignedCheckpoint, key: VerifyKey): boolean => {
  const parsed = parseNote(note);
  return parsed !== undefined && isSignedBy(parsed, origin, key);
};

const TIME = 'time ';
/** Extension line with the creation time, by the log's clock. */
export const timeLine = (atMs: number): string => `${TIME}${new Date(atMs).toISOString()}`;

/** Creation time as claimed by the checkpoint. */
export const timeOf = ({ extensions }: Checkpoint): string | undefined =>
  extensions.find((line) => line.startsWith(TIME))?.slice(TIME.length);
