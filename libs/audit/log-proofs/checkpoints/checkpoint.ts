import type { SigningKey, VerifyKey } from './log-key';
import { isKeyName, isSignedBy, parseNote, signNote } from './signed-note';
import { HASH_BYTES, type TreeHead } from '../merkle';

/** The head of a log's tree at one moment (C2SP tlog-checkpoint). */
export interface Checkpoint extends TreeHead {
  /** The log's name: two logs never have the same one. */
  readonly origin: string;
  readonly root: Buffer;
  /** Lines behind the root; ours begin with a word that says what they are. */
  readonly extensions: readonly string[];
}

/** A checkpoint with its signatures, as it is kept and sent. */
export interface SignedCheckpoint extends Checkpoint {
  /** The note, byte for byte. */
  readonly note: string;
}

const SIZE = /^(0|[1-9]\d{0,15})$/;
const BASE64_HASH = /^[A-Za-z0-9+/]{43}=$/;

/** The note's text. @throws Error for an origin that no key can have as its name, or an empty line */
export const checkpointText = ({ origin, size, root, extensions }: Checkpoint): string => {
  if (!isKeyName(origin)) throw new Error(`not the name of a log: ${JSON.stringify(origin)}`);
  if (!extensions.every((line) => line !== '' && !/\p{Cc}/u.test(line)))
    throw new Error('a line of a checkpoint is neither empty nor broken');
  return `${[origin, size, Buffer.from(root).toString('base64'), ...extensions].join('\n')}\n`;
};

export const signCheckpoint = (checkpoint: Checkpoint, key: SigningKey): SignedCheckpoint => ({
  ...checkpoint,
  note: signNote(checkpointText(checkpoint), checkpoint.origin, key),
});

/** Undefined where the note is no checkpoint. It says nothing about the signatures. */
export const parseCheckpoint = (note: string): SignedCheckpoint | undefined => {
  const [origin = '', size = '', root = '', ...extensions] = parseNote(note)?.text.slice(0, -1).split('\n') ?? [];
  const bytes = Buffer.from(root, 'base64');
  if (origin === '' || !SIZE.test(size) || !BASE64_HASH.test(root) || bytes.length !== HASH_BYTES) return undefined;
  if (bytes.toString('base64') !== root || !Number.isSafeInteger(Number(size)) || extensions.includes('')) return undefined;
  return { origin, size: Number(size), root: bytes, extensions, note };
};

/** Whether the log's own key signed it, under the name of its origin. */
export const isCheckpointOf = ({ origin, note }: SignedCheckpoint, key: VerifyKey): boolean => {
  const parsed = parseNote(note);
  return parsed !== undefined && isSignedBy(parsed, origin, key);
};

const TIME = 'time ';
/** The extension line that says when the log made it, by the log's own clock. */
export const timeLine = (atMs: number): string => `${TIME}${new Date(atMs).toISOString()}`;

/** When the checkpoint was made, by its own word. */
export const timeOf = ({ extensions }: Checkpoint): string | undefined =>
  extensions.find((line) => line.startsWith(TIME))?.slice(TIME.length);
