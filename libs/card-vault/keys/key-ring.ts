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

/** The reason why a key ring does not fit a vault with these recorded answers, or undefined; a vault without any accepts every ring. */
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

/** The ring that a process works with at this moment: another state of the same ring can take its place while the process runs. */
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

  /** Whether this state says anything that the present one does not. */
  differsFrom({ primaryKekId, keks, retired }: KeyRing): boolean {
    const isSame = (one: Iterable<unknown>, other: Iterable<unknown>): boolean => [...one].join() === [...other].join();
    return primaryKekId !== this.primaryKekId || !isSame(keks.keys(), this.keks.keys()) || !isSame(retired, this.retired);
  }

  /** @throws KeyRingFault for another ring: the service key and the index keys stay, and no id names another key */
  assertSameRing(ring: KeyRing): void {
    const given = new Map(knownAnswers(ring).map(({ name, answer }) => [name, Buffer.from(answer)]));
    for (const { name, answer } of knownAnswers(this)) {
      const other = given.get(name);
      const isKept = other === undefined ? name.startsWith('kek:') && ring.retired.has(name) : other.equals(answer);
      if (!isKept)
        throw new KeyRingFault(`the key ring was replaced by another while this process runs: key ${name} is not the one that it had`);
    }
  }

  take(ring: KeyRing): void {
    this.#ring = ring;
  }
}
