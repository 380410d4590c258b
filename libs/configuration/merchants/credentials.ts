import { createHash, type KeyObject, createPublicKey } from 'node:crypto';
import { resolve } from 'node:path';
import { Secret, secretFileProblem } from '@app/kernel';
import { controlKeyIdentity, isControlKey } from '../reading/control-key';
import { readBoundedFile, faultAt, type Fault, type Path } from '../reading/fault';
import type { MerchantReferences } from './references';

/**
 * SHA-256 of every key and secret in the gateway interface, our documents and the sandbox: any reader could sign with them.
 * Control keys are hashed in lower case without dashes, RSA keys as SubjectPublicKeyInfo.
 */
const PUBLISHED_DIGESTS: ReadonlySet<string> = new Set([
  'b5ad347677e97ad3b5edbe4b5308fcd8b915def37cb7e8ff86aa672f229e0b7b',
  '96ad2ccd81462a766178ae09a71df55f548a3f66da11606f9cdf40b391e22dd0',
  '21098ade7f24f5f8440132b34e935348e7b92813b0215f28f4347a157895ede2',
  '432697ee5b92ecdb95cd42a91a8b5b1b07dc7a08b1506309b7eb8879cdbbe5d5',
  '37dfa4aa4e205ab5d6bec111ab1ba6726d29f8610e2aef95ef38a84a06f381bc',
  '3f53906dda93d48873192ec3104501635765f6d21768902c8b5df745d9fee901',
  '93ca36d142ac76355cdceaacf8a135851b60ad4db6a1f451448e7732ac34feb3',
  '3fdf3c71508d46893d7d655ebac00fa99e14baeed016f52c0e3ee1260880e961',
]);

const isPublished = (content: string | Uint8Array): boolean => PUBLISHED_DIGESTS.has(createHash('sha256').update(content).digest('hex'));

export const isPublishedControlKey = (key: string): boolean => isPublished(controlKeyIdentity(key));
export const isPublishedSecret = (secret: string): boolean => isPublished(secret);
/** The private half of a sample pair is in `config/`. */
export const isPublishedPublicKey = (key: KeyObject): boolean => isPublished(key.export({ type: 'spki', format: 'der' }));

/** Bits of a modulus (protocol decisions, section 5). */
const MODULUS_BITS_MIN = 2048;
const MODULUS_BITS_MAX = 16_384;
const EXPONENT = 65_537n;
const PUBLIC_PEM = /^\s*-----BEGIN (RSA )?PUBLIC KEY-----[^-]+-----END (RSA )?PUBLIC KEY-----\s*$/;

/** The merchant's key for v4 requests, or its fault. A private key is refused: the service must not hold one (safety, T9). */
const oauthPublicKeyFrom = (pem: string): KeyObject | { readonly problem: string } => {
  if (pem.includes('PRIVATE KEY')) return { problem: 'contains a private key: use its public key' };
  if (!PUBLIC_PEM.test(pem)) return { problem: 'must contain one public key in PEM' };
  let key: KeyObject;
  try {
    key = createPublicKey(pem);
  } catch {
    return { problem: 'must contain one public key in PEM' };
  }
  if (key.asymmetricKeyType !== 'rsa') return { problem: 'must contain an RSA key' };
  const { modulusLength = 0, publicExponent } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < MODULUS_BITS_MIN || modulusLength > MODULUS_BITS_MAX) {
    return { problem: `must contain a key of ${MODULUS_BITS_MIN} to ${MODULUS_BITS_MAX} bits` };
  }
  if (publicExponent !== EXPONENT) return { problem: `must contain a key with exponent ${EXPONENT}` };
  return key;
};

const PREFIX = 'whsec_';
const SECRET_BYTES_MIN = 24;
const SECRET_BYTES_MAX = 64;

/** `whsec_` and canonical base64 of 24 to 64 bytes: the form of Standard Webhooks (protocol decisions, section 6). */
const isCallbackSecret = (text: string): boolean => {
  if (!text.startsWith(PREFIX) || text.length > PREFIX.length + SECRET_BYTES_MAX * 2) return false;
  const encoded = text.slice(PREFIX.length);
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.toString('base64') === encoded && bytes.length >= SECRET_BYTES_MIN && bytes.length <= SECRET_BYTES_MAX;
};

const KEY_FILE_BYTES_MAX = 65_536;

export interface Credentials {
  readonly controlKey?: Secret<string>;
  readonly formerControlKey?: Secret<string>;
  readonly callbackSecret?: Secret<string>;
  readonly formerCallbackSecret?: Secret<string>;
  readonly oauthPublicKey?: KeyObject;
}

interface SecretPlace {
  readonly name: string;
  readonly inFile: string | undefined;
  readonly named: string | undefined;
  readonly parent: Path;
  readonly isRequired: boolean;
  readonly what: string;
  readonly accepts: (text: string) => boolean;
  readonly isPublished: (text: string) => boolean;
}

export interface CredentialSearch {
  readonly folder: string;
  readonly isProduction: boolean;
  readonly faults: Fault[];
  readonly warnings: Fault[];
}

const PUBLISHED = 'is a published sample, which is refused when NODE_ENV=production: generate a new one';
const LINE_END = /\r?\n$/;

/** A secret's file that other users can access is a fault in production, and a warning elsewhere. */
const secretText = (
  named: string,
  at: Path,
  { folder, isProduction, faults, warnings }: CredentialSearch,
): ReturnType<typeof readBoundedFile> => {
  const path = resolve(folder, named);
  return readBoundedFile(path, KEY_FILE_BYTES_MAX, (mode) => {
    const problem = secretFileProblem(path, mode);
    if (problem !== undefined) (isProduction ? faults : warnings).push(faultAt(at, `${path}: ${problem}`));
  });
};

/** Exactly one of secret and secret file must be given, or none if optional. */
export const secretAt = (place: SecretPlace, search: CredentialSearch): Secret<string> | undefined => {
  const { isProduction, faults } = search;
  const { name, inFile, named, parent } = place;
  const path = [...parent, name];
  const filePath = [...parent, `${name}File`];
  if (inFile !== undefined && named !== undefined) {
    faults.push(faultAt(filePath, `cannot be combined with ${name}: use one of the two`));
    return undefined;
  }
  const text = inFile ?? (named === undefined ? undefined : secretText(named, filePath, search));
  const at = inFile === undefined ? filePath : path;
  if (text === undefined) {
    if (place.isRequired) faults.push(faultAt(path, `is required (or ${name}File)`));
    return undefined;
  }
  if (typeof text !== 'string') {
    faults.push(faultAt(at, text.problem));
    return undefined;
  }
  const value = inFile ?? text.replace(LINE_END, '');
  if (!place.accepts(value)) {
    faults.push(faultAt(at, `must ${inFile === undefined ? 'name a file that contains' : 'be'} ${place.what}`));
    return undefined;
  }
  if (isProduction && place.isPublished(value)) faults.push(faultAt(at, PUBLISHED));
  return new Secret(value);
};

const CONTROL_KEY = {
  what: 'hexadecimal once its dashes are removed, of an even length, at least 16 bytes',
  accepts: isControlKey,
  isPublished: isPublishedControlKey,
};

/** @param taken keys of earlier merchants, because no two may share one */
export const controlKeyAt = (
  { controlKey, controlKeyFile }: Pick<MerchantReferences, 'controlKey' | 'controlKeyFile'>,
  parent: Path,
  taken: Set<string>,
  search: CredentialSearch,
): Secret<string> | undefined => {
  const key = secretAt({ name: 'controlKey', inFile: controlKey, named: controlKeyFile, parent, isRequired: true, ...CONTROL_KEY }, search);
  if (key === undefined) return undefined;
  const identity = controlKeyIdentity(key.reveal());
  const at = controlKey === undefined ? 'controlKeyFile' : 'controlKey';
  if (taken.has(identity)) search.faults.push(faultAt([...parent, at], OF_ANOTHER_MERCHANT));
  taken.add(identity);
  return key;
};

const OF_ANOTHER_MERCHANT = 'is the control key of another merchant';
const IS_PRESENT_ONE = 'is also the present one: write the one that it replaced, or remove this';

const formerControlKeyAt = (
  { key: inFile, keyFile, notAfter }: MerchantReferences['formerControlKey'],
  present: Secret<string> | undefined,
  merchantPath: Path,
  taken: Set<string>,
  search: CredentialSearch,
): Secret<string> | undefined => {
  const parent = [...merchantPath, 'formerControlKey'];
  const place = { name: 'key', inFile, named: keyFile, parent, isRequired: notAfter !== undefined };
  const key = secretAt({ ...place, ...CONTROL_KEY }, search);
  if (key === undefined) return undefined;
  const identity = controlKeyIdentity(key.reveal());
  const isPresentOne = present !== undefined && controlKeyIdentity(present.reveal()) === identity;
  if (isPresentOne || taken.has(identity))
    search.faults.push(faultAt([...parent, inFile === undefined ? 'keyFile' : 'key'], isPresentOne ? IS_PRESENT_ONE : OF_ANOTHER_MERCHANT));
  taken.add(identity);
  return key;
};

const CALLBACK_SECRET = {
  what: 'whsec_ and 24 to 64 bytes in base64',
  accepts: isCallbackSecret,
  isPublished: isPublishedSecret,
};

export const callbackSecretAt = (
  { secret, secretFile }: Pick<MerchantReferences['callback'], 'secret' | 'secretFile'>,
  parent: Path,
  search: CredentialSearch,
): Secret<string> | undefined => {
  const place = { name: 'secret', inFile: secret, named: secretFile, parent: [...parent, 'callback'], isRequired: false };
  return secretAt({ ...place, ...CALLBACK_SECRET }, search);
};

const formerCallbackSecretAt = (
  { secret: present, secretFile: presentFile, formerSecret }: MerchantReferences['callback'],
  presentSecret: Secret<string> | undefined,
  merchantPath: Path,
  search: CredentialSearch,
): Secret<string> | undefined => {
  const { secret: inFile, secretFile, notAfter } = formerSecret;
  const parent = [...merchantPath, 'callback', 'formerSecret'];
  const place = { name: 'secret', inFile, named: secretFile, parent, isRequired: notAfter !== undefined };
  const secret = secretAt({ ...place, ...CALLBACK_SECRET }, search);
  if (secret === undefined) return undefined;
  if (present === undefined && presentFile === undefined) search.faults.push(faultAt(parent, 'needs callback.secret (or secretFile)'));
  if (presentSecret?.reveal() === secret.reveal())
    search.faults.push(faultAt([...parent, inFile === undefined ? 'secretFile' : 'secret'], IS_PRESENT_ONE));
  return secret;
};

export const signInSecretAt = (
  { clientId, clientSecretFile }: { readonly clientId?: string | undefined; readonly clientSecretFile?: string | undefined },
  search: CredentialSearch,
): Secret<string> | undefined =>
  secretAt(
    {
      name: 'clientSecret',
      inFile: undefined,
      named: clientSecretFile,
      parent: ['signIn'],
      isRequired: clientId !== undefined,
      what: 'a text of 1 to 1024 visible characters',
      accepts: (secret) => /^[\x21-\x7e]{1,1024}$/.test(secret),
      isPublished: isPublishedSecret,
    },
    search,
  );

const publicKeyAt = (file: string | undefined, path: Path, { folder, isProduction, faults }: CredentialSearch): KeyObject | undefined => {
  if (file === undefined) return undefined;
  const pem = readBoundedFile(resolve(folder, file), KEY_FILE_BYTES_MAX);
  const key = typeof pem === 'string' ? oauthPublicKeyFrom(pem) : pem;
  if ('problem' in key) {
    faults.push(faultAt(path, key.problem));
    return undefined;
  }
  if (isProduction && isPublishedPublicKey(key)) faults.push(faultAt(path, PUBLISHED));
  return key;
};

export const credentialsOf = (merchants: readonly MerchantReferences[], search: CredentialSearch): readonly Credentials[] => {
  const keys = new Set<string>();
  return merchants.map((merchant, index): Credentials => {
    const parent = ['merchants', index];
    const controlKey = controlKeyAt(merchant, parent, keys, search);
    const formerControlKey = formerControlKeyAt(merchant.formerControlKey, controlKey, parent, keys, search);
    const callbackSecret = callbackSecretAt(merchant.callback, parent, search);
    const formerCallbackSecret = formerCallbackSecretAt(merchant.callback, callbackSecret, parent, search);
    const oauthPublicKey = publicKeyAt(merchant.oauthPublicKeyFile, [...parent, 'oauthPublicKeyFile'], search);
    return {
      ...(controlKey && { controlKey }),
      ...(formerControlKey && { formerControlKey }),
      ...(callbackSecret && { callbackSecret }),
      ...(formerCallbackSecret && { formerCallbackSecret }),
      ...(oauthPublicKey && { oauthPublicKey }),
    };
  });
};
