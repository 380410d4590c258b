import { hkdfSync, type KeyObject } from 'node:crypto';
import type { NonEmpty } from '@app/kernel';
import { KEY_BYTES } from './sealed-box';

/** Four bytes, stored in every blob that the key wrapped. */
export type KekId = number;
export const KEK_ID_MAX = 0xffff_ffff;

export interface IndexKey {
  readonly id: number;
  readonly key: KeyObject;
}

/**
 * Root keys, unlocked at start from a file or by a KMS. `KeyObject` keeps the bytes out of logs and of JavaScript's heap.
 * Rotation adds keys and keeps the old ones (safety, section 5.3): blobs name their KEK, and card look-ups try every index key.
 */
export interface KeyRing {
  readonly primaryKekId: KekId;
  readonly keks: ReadonlyMap<KekId, KeyObject>;
  readonly indexKeys: NonEmpty<IndexKey>;
  /** Derives digests, card references and look-up keys. Never rotates, because these must not change. */
  readonly serviceKey: KeyObject;
  /** Names (as in `keyNames`) of keys that were removed on purpose. */
  readonly retired: ReadonlySet<string>;
}

/** The key ring does not fit the vault, or its file is unusable. The one-line message contains no key. */
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

/** Fingerprint of a key, stored with the data. Identifies the key without revealing it. */
export interface KnownAnswer {
  readonly name: string;
  readonly answer: Uint8Array;
}

export const knownAnswers = (ring: KeyRing): readonly KnownAnswer[] =>
  keysByName(ring).map(([name, key]) => ({ name, answer: deriveBytes(key, `known answer of ${name}`) }));

export const deriveBytes = (key: KeyObject, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', key, Buffer.alloc(0), purpose, KEY_BYTES));

/** @throws KeyRingFault if the ring no longer has the key */
export const kekOf = (ring: KeyRing, id: KekId): KeyObject => {
  const kek = ring.keks.get(id);
  if (kek === undefined) throw new KeyRingFault(`the key ring has no ${kekName(id)}, which data in the vault needs`);
  return kek;
};

export const primaryKek = (ring: KeyRing): KeyObject => kekOf(ring, ring.primaryKekId);

export const keyRingProblem = (
  remembered: readonly KnownAnswer[],
  given: readonly KnownAnswer[],
  retired: ReadonlySet<string>,
): string | undefined => {
  const answers = new Map(given.map(({ name, answer }) => [name, Buffer.from(answer)]));
  const wrong = remembered.find(({ name, answer }) => answers.get(name)?.equals(answer) === false);
  if (wrong !== undefined) return `key ${wrong.name} of the key ring is not the one that this vault was written with`;
  const missing = remembered.find(({ name }) => !answers.has(name) && !retired.has(name));
  if (missing === undefined) return undefined;
  return `the key ring has no key ${missing.name}, which this vault was written with, and does not call it retired`;
};

/** Key ring of a running process; a later state of the same ring can replace it. */
export class LiveKeyRing implements KeyRing {
  #ring: KeyRing;

  constructor(ring: KeyRing) {
    this.#ring = ring;
  }

  get primaryKekId(): KekId {
    return this.#ring.primaryKekId;
  }

  get keks(): ReadonlyMap<KekId, KeyObject> {
    return this.#ring.keks;
  }

  get indexKeys(): NonEmpty<IndexKey> {
    return this.#ring.indexKeys;
  }

  get serviceKey(): KeyObject {
    return this.#ring.serviceKey;
  }

  get retired(): ReadonlySet<string> {
    return this.#ring.retired;
  }

  differsFrom({ primaryKekId, keks, retired }: KeyRing): boolean {
    const isSame = (one: Iterable<unknown>, other: Iterable<unknown>): boolean => [...one].join() === [...other].join();
    return primaryKekId !== this.primaryKekId || !isSame(keks.keys(), this.keks.keys()) || !isSame(retired, this.retired);
  }

  /** @throws KeyRingFault for another ring: service key and index keys must not change, and an id must not name another key */
  assertSameRing(ring: KeyRing): void {
    const given = new Map(knownAnswers(ring).map(({ name, answer }) => [name, Buffer.from(answer)]));
    for (const { name, answer } of knownAnswers(this)) {
      const other = given.get(name);
      const isKept = other === undefined ? name.startsWith('kek:') && ring.retired.has(name) : other.equals(answer);
      if (!isKept) throw new KeyRingFault(`the key ring was replaced while this process runs: key ${name} differs`);
    }
  }

  take(ring: KeyRing): void {
    this.#ring = ring;
  }
}
