import { hkdfSync, type KeyObject } from 'node:crypto';
import type { NonEmpty } from '@app/kernel';
import { KEY_BYTES } from '../envelope/envelope';

/** Names a key-encrypting key; four bytes in every blob that it wrapped. */
export type KekId = number;
export const KEK_ID_MAX = 0xffff_ffff;

export interface IndexKey {
  readonly id: number;
  readonly key: KeyObject;
}

/**
 * The keys above all others, unlocked for one life of the process: from a file, or from a KMS that unwraps them at start. A `KeyObject` shows its
 * bytes to no log, and reaches the writer's thread without passing through JavaScript's heap. Rotation adds keys beside the old ones
 * (safety, section 5.3): blobs name their KEK, look-ups by card number try every index key.
 */
export interface KeyRing {
  /** Wraps what is new. */
  readonly primaryKekId: KekId;
  readonly keks: ReadonlyMap<KekId, KeyObject>;
  /** The first makes new indexes. */
  readonly indexKeys: NonEmpty<IndexKey>;
  /** Digests, card references and look-up keys derive from it; it never rotates, for they must come out the same for ever. */
  readonly serviceKey: KeyObject;
  /** Names (as in `keyNames`) of keys that are gone on purpose. */
  readonly retired: ReadonlySet<string>;
}

/** The vault and its keys do not belong together, or the key file cannot be used; one line that says why and shows no key. */
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

/** What is left of a key when it is kept beside the data: enough to recognise it, nothing to compute it from. */
export interface KnownAnswer {
  readonly name: string;
  readonly answer: Uint8Array;
}

export const knownAnswers = (ring: KeyRing): readonly KnownAnswer[] =>
  keysByName(ring).map(([name, key]) => ({ name, answer: deriveBytes(key, `known answer of ${name}`) }));

/** A key of its own for each purpose (HKDF with SHA-256). */
export const deriveBytes = (key: KeyObject, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', key, Buffer.alloc(0), purpose, KEY_BYTES));

/** @throws KeyRingFault where the ring no longer has it */
export const kekOf = (ring: KeyRing, id: KekId): KeyObject => {
  const kek = ring.keks.get(id);
  if (kek === undefined) throw new KeyRingFault(`the key ring holds no ${kekName(id)}, and the vault has data under it`);
  return kek;
};

export const primaryKek = (ring: KeyRing): KeyObject => kekOf(ring, ring.primaryKekId);
