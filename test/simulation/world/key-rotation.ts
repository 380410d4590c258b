import { createSecretKey } from 'node:crypto';
import type { KeyRing } from '@app/card-vault';
import type { KeyedChance } from './keyed-chance';

const KEY_BYTES = 32;
const NEXT_KEK_ID = 2;

/** The key ring that a process starts with: as it was, then with the next key beside it, then with that key as the one that seals. */
export class KeyRotation {
  current: KeyRing;

  constructor(
    first: KeyRing,
    private readonly chance: KeyedChance,
  ) {
    this.current = first;
  }

  /** To be called once every process has its ring of `first`. */
  addNextKey(): void {
    const next = createSecretKey(Buffer.from(this.chance.randomOf('key next kek').bytes(KEY_BYTES)));
    this.current = { ...this.current, keks: new Map([...this.current.keks, [NEXT_KEK_ID, next]]) };
  }

  /** To be called once every process has the next key, for those that have not could not open what it seals. */
  sealWithNextKey(): void {
    this.current = { ...this.current, primaryKekId: NEXT_KEK_ID };
  }
}
