import type { MerchantLogin, Random } from '@app/kernel';
import type { ServiceDigests } from '@app/card-vault';
import type { KeyedDigest } from '../domain/terms';

/** In events, replaces values that are only compared. Digests differ per kind (by key) and per product. */
type DigestKind = 'access token' | 'serial number' | 'nonce' | 'session token' | 'consumer' | 'random sum';

export const digestOf = (
  digests: Pick<ServiceDigests, 'onceKey'>,
  kind: DigestKind,
  merchant: MerchantLogin,
  ...parts: readonly string[]
): KeyedDigest => digests.onceKey(`merchant desk ${kind}`, [merchant, ...parts]) as KeyedDigest;

/** 64 characters, so that six bits of a byte choose one without bias (protocol decisions, section 8). */
const ALPHABET = Buffer.from('0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ^$', 'latin1');
const RANDOM_TEXT_LENGTH = 64;

/** 64 characters of `[0-9a-zA-Z^$]` from a cryptographic source: 384 bits. */
export const randomText = (random: Random): string => {
  const text = Buffer.from(random.bytes(RANDOM_TEXT_LENGTH));
  for (let index = 0; index < text.length; index++) text[index] = ALPHABET.readUInt8(text.readUInt8(index) & 63);
  return text.toString('latin1');
};
