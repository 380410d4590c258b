import { createSecretKey, type KeyObject } from 'node:crypto';
import { BoundedMap, type MerchantLogin, type Random, type Sealed } from '@app/kernel';
import { BoxRefused, open, seal } from '../keys/sealed-box';
import { Ivs } from './ivs';
import { deriveBytes, kekOf, type KekId, type KeyRing } from '../keys/key-ring';
import { lp } from '../keys/length-prefix';
import type { TextSealer } from '../port';

const VERSION = 'r1';
const SEPARATOR = '.';
const SALT_BYTES = 16;
const SALT = /^[A-Za-z0-9_-]{22}$/;
const KEK_ID = /^[1-9]\d{0,9}$/;
/** Random ivs may repeat after 2^32 texts under one key, so each key seals far fewer. */
const TEXTS_PER_KEY_MAX = 2 ** 20;
/** Maximum of cached keys, since recently sealed texts are those that are opened. */
const KEYS_KEPT_MAX = 256;

interface DerivedKey {
  readonly kekId: KekId;
  readonly salt: string;
  readonly key: KeyObject;
}

/** Derives keys from a key-encrypting key by a salt, which every text contains. */
export class RingSealer implements TextSealer {
  readonly #ring: KeyRing;
  readonly #random: Random;
  readonly #ivs: Ivs;
  readonly #kept = new BoundedMap<string, DerivedKey>(KEYS_KEPT_MAX);
  #current: DerivedKey | undefined;
  #sealed = 0;

  constructor(ring: KeyRing, random: Random) {
    this.#ring = ring;
    this.#random = random;
    this.#ivs = new Ivs(random);
  }

  seal(merchant: MerchantLogin, field: string, plaintext: string): Sealed {
    const { kekId, salt, key } = this.#keyToSeal();
    const box = seal(key, this.#ivs.next(), Buffer.from(plaintext, 'utf8'), placeOf(merchant, field));
    return [VERSION, kekId, salt, box.toString('base64url')].join(SEPARATOR) as Sealed;
  }

  unseal(merchant: MerchantLogin, field: string, sealed: Sealed): string {
    const [version, kekId = '', salt = '', box = '', ...more] = sealed.split(SEPARATOR);
    if (version !== VERSION || more.length > 0 || !KEK_ID.test(kekId) || !SALT.test(salt)) throw new BoxRefused('not a sealed text');
    const { key } = this.#derived(Number(kekId), salt);
    return open(key, Buffer.from(box, 'base64url'), placeOf(merchant, field)).toString('utf8');
  }

  #keyToSeal(): DerivedKey {
    if (this.#current === undefined || this.#sealed >= TEXTS_PER_KEY_MAX) {
      this.#current = this.#derived(this.#ring.primaryKekId, Buffer.from(this.#random.bytes(SALT_BYTES)).toString('base64url'));
      this.#sealed = 0;
    }
    this.#sealed += 1;
    return this.#current;
  }

  #derived(kekId: KekId, salt: string): DerivedKey {
    const name = `${kekId}${SEPARATOR}${salt}`;
    const known = this.#kept.get(name);
    if (known !== undefined) return known;
    const bytes = deriveBytes(kekOf(this.#ring, kekId), `sealed text ${salt}`);
    const derived = { kekId, salt, key: createSecretKey(bytes) };
    bytes.fill(0);
    this.#kept.set(name, derived);
    return derived;
  }
}

/** Binds a text to the merchant and the field that it was sealed for. */
const placeOf = (merchant: MerchantLogin, field: string): Buffer => lp(['ring-sealed', VERSION, merchant, field]);
