import { ed25519 } from '@noble/curves/ed25519.js';
import { fromBase64, hex, isSame, joined, sha256, utf8 } from './bytes';
import type { TreeHead } from './merkle';

/** C2SP signed-note. */
const ED25519 = 1;
const KEY_BYTES = 1 + 32;
const ID_BYTES = 4;
const SIGNATURE_BYTES = 64;

/** The public key of a service's log. It signs each log under that log's name. */
export interface LogKey {
  /** `NAME+ID+BASE64`, trimmed. */
  readonly text: string;
  /** The last part of the text, which is the same under every name. */
  readonly publicKey: string;
  /** True if it signed the note under this name. */
  hasSigned(note: string, name: string): boolean;
}

const isSignature = (key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean => {
  try {
    return signature.length === SIGNATURE_BYTES && ed25519.verify(signature, message, key, { zip215: false });
  } catch {
    return false;
  }
};

/** @param text `NAME+ID+BASE64`; undefined if it is no such key */
export const readLogKey = (text: string): LogKey | undefined => {
  const [name = '', id = '', ...rest] = text.trim().split('+');
  const publicKey = rest.join('+');
  const data = fromBase64(publicKey);
  if (data?.length !== KEY_BYTES || data[0] !== ED25519 || !name.isWellFormed()) return undefined;
  const idOf = (signer: string): Uint8Array => sha256(joined(utf8(`${signer}\n`), data)).subarray(0, ID_BYTES);
  if (hex(idOf(name)) !== id) return undefined;
  return {
    text: text.trim(),
    publicKey,
    hasSigned: (note, signer) => {
      const end = note.lastIndexOf('\n\n');
      const prefix = `\u2014 ${signer} `;
      for (const line of note.slice(end < 0 ? 0 : end + 2).split('\n')) {
        const signature = line.startsWith(prefix) ? fromBase64(line.slice(prefix.length)) : undefined;
        if (signature === undefined || !isSame(signature.subarray(0, ID_BYTES), idOf(signer))) continue;
        return isSignature(data.subarray(1), utf8(`${note.slice(0, Math.max(end, 0))}\n`), signature.subarray(ID_BYTES));
      }
      return false;
    },
  };
};

/** A signed head of the log's tree (C2SP tlog-checkpoint). */
export interface Checkpoint extends TreeHead {
  /** The log's name. */
  readonly origin: string;
  /** By the log's clock; undefined if the checkpoint has no time. */
  readonly signedAt: string | undefined;
  readonly note: string;
}

const SIZE = /^(0|[1-9]\d{0,15})$/;
const ROOT_BYTES = 32;
const TIME = 'time ';

/** Undefined if the note is no checkpoint. Does not verify its signature. */
export const readCheckpoint = (note: string): Checkpoint | undefined => {
  const end = note.lastIndexOf('\n\n');
  const [origin = '', size = '', root = '', ...more] = end < 0 || !note.endsWith('\n') ? [] : note.slice(0, end).split('\n');
  const bytes = fromBase64(root);
  if (origin === '' || !SIZE.test(size) || bytes?.length !== ROOT_BYTES || !Number.isSafeInteger(Number(size))) return undefined;
  const signedAt = more.find((line) => line.startsWith(TIME))?.slice(TIME.length);
  return { origin, size: Number(size), root: bytes, signedAt, note };
};
