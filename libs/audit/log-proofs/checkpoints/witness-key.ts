import { createPublicKey, hash, verify } from 'node:crypto';
import type { SignedCheckpoint } from './checkpoint';
import { KEY_ID_BYTES, KeyRefused } from './log-key';
import { isKeyName, parseNote } from './signed-note';

/** The signature type of an Ed25519 cosignature with a time (C2SP tlog-cosignature). */
const COSIGNATURE = 4;
const PUBLIC_KEY_BYTES = 32;
const TIME_BYTES = 8;
const SIGNATURE_BYTES = 64;
const SPKI_OF_ED25519 = Buffer.from('302a300506032b6570032100', 'hex');
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const MS_PER_SECOND = 1_000n;
const TIME_MS_MAX = 8_640_000_000_000_000n;

/** The public key of a witness. */
export interface WitnessKey {
  readonly name: string;
  /**
   * When the witness said that it had seen this checkpoint continue the log, ms since the epoch; undefined where no signature of this key is there, or one
   * that does not verify.
   */
  cosignedAtMs(checkpoint: SignedCheckpoint): number | undefined;
}

/** @param text `<name>+<id>+<key>` (C2SP signed-note) of type 4 @throws KeyRefused */
export const readWitnessKey = (text: string): WitnessKey => {
  const [name = '', id = '', ...rest] = text.trim().split('+');
  const base64 = rest.join('+');
  const bytes = BASE64.test(base64) ? Buffer.from(base64, 'base64') : Buffer.alloc(0);
  if (!isKeyName(name) || bytes.length !== 1 + PUBLIC_KEY_BYTES || bytes[0] !== COSIGNATURE)
    throw new KeyRefused('the key of a witness is <name>+<id>+<key> with an Ed25519 key of type 4 (C2SP tlog-cosignature)');
  const keyId = hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), bytes]), 'buffer').subarray(0, KEY_ID_BYTES);
  if (keyId.toString('hex') !== id) throw new KeyRefused(`the id of the witness key ${name} is not its own`);
  const key = createPublicKey({ key: Buffer.concat([SPKI_OF_ED25519, bytes.subarray(1)]), format: 'der', type: 'spki' });

  const timeIn = (noteText: string, signature: Buffer): number | undefined => {
    if (signature.length !== TIME_BYTES + SIGNATURE_BYTES) return undefined;
    const seconds = signature.readBigUInt64BE(0);
    const message = Buffer.from(`cosignature/v1\ntime ${seconds}\n${noteText}`);
    const atMs = seconds * MS_PER_SECOND;
    return atMs <= TIME_MS_MAX && verify(null, message, key, signature.subarray(TIME_BYTES)) ? Number(atMs) : undefined;
  };
  return {
    name,
    cosignedAtMs: ({ note }) => {
      const { text: noteText = '', signatures = [] } = parseNote(note) ?? {};
      const times = signatures.filter((one) => one.name === name && one.keyId.equals(keyId)).map((one) => timeIn(noteText, one.signature));
      // One that names the key and does not verify refuses the note, as for the log's own.
      return times.length === 0 || times.includes(undefined) ? undefined : Math.max(...(times as number[]));
    },
  };
};
