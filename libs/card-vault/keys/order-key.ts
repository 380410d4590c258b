import type { MerchantLogin, Sealed } from '@app/kernel';
import { BOX_OVERHEAD_BYTES, BoxRefused, KEY_BYTES, open, seal } from './sealed-box';
import type { Ivs } from '../envelope/ivs';
import type { KekId } from './key-ring';
import { lp } from './length-prefix';
import type { OrderKey, OrderKeyId } from '../port';

/** The stored form of an order's key: wrapped, or zeros of the same length once it is erased. */
export const WRAPPED_ORDER_KEY_BYTES = KEY_BYTES + BOX_OVERHEAD_BYTES;

/** The block's part of key ids is random, so that a vault restored from an older copy never issues an id that the log already names. */
export const BLOCK_ID_BYTES = 12;
const POSITION_BYTES = 3;
const KEY_ID = /^[A-Za-z0-9_-]{20}$/;

export const orderKeyId = (block: Uint8Array, position: number): OrderKeyId => {
  const id = Buffer.alloc(BLOCK_ID_BYTES + POSITION_BYTES);
  id.set(block);
  id.writeUIntBE(position, BLOCK_ID_BYTES, POSITION_BYTES);
  return id.toString('base64url') as OrderKeyId;
};

/** Binds a wrapped order key to its row. */
export const orderKeyPlace = (id: OrderKeyId, kekId: KekId): Buffer => lp(['order-dek', 'v1', id, String(kekId)]);

/** Binds a text to the merchant, the order's key and the field that it was sealed for. */
const sealedPlace = (merchant: MerchantLogin, id: OrderKeyId, field: string): Buffer => lp(['sealed', 'v1', merchant, id, field]);

const SEALED_VERSION = 'v1';
const SEPARATOR = '.';

interface SealedParts {
  readonly id: OrderKeyId;
  readonly box: Buffer;
}

/** `v1.<key id>.<iv, ciphertext and tag in base64url>`. @throws BoxRefused */
export const readSealed = (sealed: Sealed): SealedParts => {
  const [version, id = '', box = '', ...more] = sealed.split(SEPARATOR);
  if (version !== SEALED_VERSION || more.length > 0 || !KEY_ID.test(id)) throw new BoxRefused('not a sealed text');
  return { id: id as OrderKeyId, box: Buffer.from(box, 'base64url') };
};

/** The id of the key that sealed a text, for readers without a vault. @throws BoxRefused */
export const orderKeyOf = (sealed: Sealed): OrderKeyId => readSealed(sealed).id;

/** An unwrapped order key, whose bytes are in no property and no printed form. */
export class PlainOrderKey implements OrderKey {
  readonly id: OrderKeyId;
  readonly #ivs: Ivs;
  #bytes: Uint8Array | undefined;

  constructor(id: OrderKeyId, bytes: Uint8Array, ivs: Ivs) {
    this.id = id;
    this.#bytes = bytes;
    this.#ivs = ivs;
  }

  seal(merchant: MerchantLogin, field: string, plaintext: string): Sealed {
    const box = seal(this.#key(), this.#ivs.next(), Buffer.from(plaintext, 'utf8'), sealedPlace(merchant, this.id, field));
    return `${SEALED_VERSION}${SEPARATOR}${this.id}${SEPARATOR}${box.toString('base64url')}` as Sealed;
  }

  /** @throws BoxRefused where it was sealed for another merchant, key or field */
  unseal(merchant: MerchantLogin, field: string, box: Buffer): string {
    return open(this.#key(), box, sealedPlace(merchant, this.id, field)).toString('utf8');
  }

  /** Overwrites the key. Later use is refused, because zeros would work as a key too. */
  forget(): void {
    this.#bytes?.fill(0);
    this.#bytes = undefined;
  }

  #key(): Uint8Array {
    if (this.#bytes === undefined) throw new Error(`order key ${this.id} was erased`);
    return this.#bytes;
  }
}
