import { createPublicKey, type KeyObject } from 'node:crypto';

/** Bits of a modulus (protocol decisions, section 5). */
const MODULUS_BITS_MIN = 2048;
const MODULUS_BITS_MAX = 16_384;
const EXPONENT = 65_537n;
const PUBLIC_PEM = /^\s*-----BEGIN (RSA )?PUBLIC KEY-----[^-]+-----END (RSA )?PUBLIC KEY-----\s*$/;

/** The merchant's key for v4 requests, or its fault. A private key in the file is refused, since the service must not hold one (safety, T9). */
export const oauthPublicKeyFrom = (pem: string): KeyObject | { readonly problem: string } => {
  if (pem.includes('PRIVATE KEY')) return { problem: 'holds a private key: only the public one belongs here' };
  if (!PUBLIC_PEM.test(pem)) return { problem: 'must hold one public key in PEM' };
  let key: KeyObject;
  try {
    key = createPublicKey(pem);
  } catch {
    return { problem: 'must hold one public key in PEM' };
  }
  if (key.asymmetricKeyType !== 'rsa') return { problem: 'must hold an RSA key' };
  const { modulusLength = 0, publicExponent } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < MODULUS_BITS_MIN || modulusLength > MODULUS_BITS_MAX) {
    return { problem: `must hold a key of ${MODULUS_BITS_MIN} to ${MODULUS_BITS_MAX} bits` };
  }
  if (publicExponent !== EXPONENT) return { problem: `must hold a key with exponent ${EXPONENT}` };
  return key;
};
