import type { KeyObject } from 'node:crypto';
import type { NonEmpty } from '@app/kernel';
import { KeyRingFault, knownAnswers, type IndexKey, type KekId, type KeyRing } from './key-ring';

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
