import { KEY_ID_BYTES, type SigningKey, type VerifyKey } from './keys';
import { HASH_BYTES, type TreeHead } from './merkle';

/** A text signed by one or more keys (C2SP signed-note). */
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

/** A note is refused beyond this. */
export const NOTE_CHARACTERS_MAX = 65_536;
const SIGNATURES_MAX = 64;
const NAME = /^[^\s+\u0085\u200b\ufeff]{1,255}$/u;
const SIGNATURE_LINE = /^\u2014 (\S+) ([A-Za-z0-9+/]+={0,2})$/;
// eslint-disable-next-line no-control-regex -- the specification excludes them by their codes
const CONTROL = /[\u0000-\u0009\u000b-\u001f]/;

/** Whether a key may have the name. */
export const isKeyName = (name: string): boolean => NAME.test(name) && !CONTROL.test(name);

const signatureIn = (line: string): NoteSignature | undefined => {
  const [, name = '', base64 = ''] = SIGNATURE_LINE.exec(line) ?? [];
  const bytes = Buffer.from(base64, 'base64');
  if (!isKeyName(name) || bytes.length <= KEY_ID_BYTES || bytes.toString('base64') !== base64) return undefined;
  return { name, keyId: bytes.subarray(0, KEY_ID_BYTES), signature: bytes.subarray(KEY_ID_BYTES) };
};

/** Undefined where the text is no signed note. It says nothing about the signatures. */
export const parseNote = (note: string): SignedNote | undefined => {
  if (note.length > NOTE_CHARACTERS_MAX || CONTROL.test(note) || !note.endsWith('\n') || !note.isWellFormed()) return undefined;
  const at = note.lastIndexOf('\n\n');
  if (at < 0) return undefined;
  const lines = note.slice(at + 2, -1).split('\n');
  const signatures = lines.flatMap((line) => signatureIn(line) ?? []);
  if (signatures.length !== lines.length || lines.length > SIGNATURES_MAX) return undefined;
  return { text: note.slice(0, at + 1), signatures };
};

/** @param text ends with a line feed */
export const signNote = (text: string, name: string, key: SigningKey): string => {
  const signature = Buffer.concat([key.verifier.idFor(name), key.sign(text)]).toString('base64');
  return `${text}\n\u2014 ${name} ${signature}\n`;
};

/**
 * Whether the key signed the note under this name. A signature that names the key and does not verify refuses the note; those of other keys are ignored
 * (C2SP signed-note).
 */
export const isSignedBy = ({ text, signatures }: SignedNote, name: string, key: VerifyKey): boolean => {
  const keyId = key.idFor(name);
  const own = signatures.filter((one) => one.name === name && one.keyId.equals(keyId));
  return own.length > 0 && own.every(({ signature }) => key.isSignature(text, signature));
};

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
