import { KEY_ID_BYTES, type SigningKey, type VerifyKey } from './log-key';

/** A text signed by one or more keys (C2SP signed-note). */
export interface SignedNote {
  /** Ends with a line feed. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

export interface NoteSignature {
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
