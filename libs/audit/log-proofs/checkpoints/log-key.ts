import { createPrivateKey, createPublicKey, hash, sign, verify, type KeyObject } from 'node:crypto';

/** The signature type of Ed25519 (C2SP signed-note). */
const ED25519 = 1;
export const KEY_ID_BYTES = 4;
const PUBLIC_KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** A file holds no key that this log can use. The message never quotes it. */
export class KeyRefused extends Error {
  override readonly name = 'KeyRefused';
}

/** The public half: verifies signatures under any name. */
export interface VerifyKey {
  /** Undefined where the key was given without a name. */
  readonly name: string | undefined;
  /** The four bytes that a signature line names the key with, under that name. */
  idFor(name: string): Buffer;
  isSignature(text: string, signature: Uint8Array): boolean;
}

/** The secret half. */
export interface SigningKey {
  readonly verifier: VerifyKey;
  /** The Ed25519 signature of the text's UTF-8 bytes (RFC 8032). */
  sign(text: string): Buffer;
  /** The public half under a name, as `<name>+<id>+<key>` (C2SP signed-note). */
  textFor(name: string): string;
}

/** The last 32 bytes of the DER form (RFC 8410). */
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

/** @param pem PKCS #8, without a pass phrase @throws KeyRefused */
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
  if (trimmed.includes('PRIVATE KEY')) throw new KeyRefused('the public half of the key is expected, not the private one');
  const named = fromVerifierText(trimmed);
  if (named !== undefined) return named;
  return verifyKeyOf(ed25519(() => createPublicKey(trimmed), 'an Ed25519 public key, as "orch log key new" writes it or in PEM,'));
};
