import { createSecretKey } from 'node:crypto';
import type { KeyRing } from '@app/card-vault';
import type { KeyedChance } from './keyed-chance';

const KEY_BYTES = 32;
const NEXT_KEK_ID = 2;

/** The key ring of a starting process: the old one, then with the next key added, then with that key as primary. */
export class KeyRotation {
  current: KeyRing;

  constructor(
    first: KeyRing,
    private readonly chance: KeyedChance,
  ) {
    this.current = first;
  }

  /** Call only after every process has its ring of `first`. */
  addNextKey(): void {
    const next = createSecretKey(Buffer.from(this.chance.randomOf('key next kek').bytes(KEY_BYTES)));
    this.current = { ...this.current, keks: new Map([...this.current.keks, [NEXT_KEK_ID, next]]) };
  }

  /** Call only after every process has the next key: without it, a process cannot open newly sealed data. */
  sealWithNextKey(): void {
    this.current = { ...this.current, primaryKekId: NEXT_KEK_ID };
  }
}
