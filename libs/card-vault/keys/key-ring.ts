import { hkdfSync, type KeyObject } from 'node:crypto';
import type { NonEmpty } from '@app/kernel';
import { KEY_BYTES } from './sealed-box';

/** Identifies a key-encrypting key, with four bytes in every blob that it wrapped. */
export type KekId = number;
export const KEK_ID_MAX = 0xffff_ffff;

export interface IndexKey {
  readonly id: number;
  readonly key: KeyObject;
}

/**
 * The root keys, unlocked for one run of the process from a file, or by a KMS at the start. A `KeyObject` shows its bytes to no log and reaches the
 * writer's thread without passing through JavaScript's heap. Rotation adds keys beside the old ones (safety, section 5.3): blobs name their KEK, and
 * look-ups by card number try every index key.
 */
export interface KeyRing {
  /** The KEK for new blobs. */
  readonly primaryKekId: KekId;
  readonly keks: ReadonlyMap<KekId, KeyObject>;
  /** The first one is used for new indexes. */
  readonly indexKeys: NonEmpty<IndexKey>;
  /** Digests, card references and look-up keys derive from it; it never rotates, because they must stay the same for ever. */
  readonly serviceKey: KeyObject;
  /** Names (as in `keyNames`) of keys that were removed on purpose. */
  readonly retired: ReadonlySet<string>;
}

/** The vault and its keys do not fit, or the key file cannot be used; the message gives the reason in one line and shows no key. */
export class KeyRingFault extends Error {
  override readonly name = 'KeyRingFault';
}

export const kekName = (id: KekId): string => `kek:${id}`;
export const indexKeyName = (id: number): string => `index:${id}`;

const keysByName = (ring: KeyRing): readonly (readonly [name: string, key: KeyObject])[] => [
  ...[...ring.keks].map(([id, key]) => [kekName(id), key] as const),
  ...ring.indexKeys.map(({ id, key }) => [indexKeyName(id), key] as const),
  ['service', ring.serviceKey],
];

/** A fingerprint of a key for storage beside the data, which identifies the key but does not reveal it. */
export interface KnownAnswer {
  readonly name: string;
  readonly answer: Uint8Array;
}

export const knownAnswers = (ring: KeyRing): readonly KnownAnswer[] =>
  keysByName(ring).map(([name, key]) => ({ name, answer: deriveBytes(key, `known answer of ${name}`) }));

/** Derives a separate key for each purpose (HKDF with SHA-256). */
export const deriveBytes = (key: KeyObject, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', key, Buffer.alloc(0), purpose, KEY_BYTES));

/** @throws KeyRingFault where the ring no longer has the key */
export const kekOf = (ring: KeyRing, id: KekId): KeyObject => {
  const kek = ring.keks.get(id);
  if (kek === undefined) throw new KeyRingFault(`the key ring holds no ${kekName(id)}, and the vault has data under it`);
  return kek;
};

export const primaryKek = (ring: KeyRing): KeyObject => kekOf(ring, ring.primaryKekId);
