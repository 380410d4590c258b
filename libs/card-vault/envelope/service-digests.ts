import { createCipheriv, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { cardRefIdFrom, type CardRefId, type ContentDigest, type MerchantLogin, type OrderId } from '@app/kernel';
import { deriveBytes, type KeyRing } from '../keys/key-ring';
import { lp } from '../keys/length-prefix';
import type { ServiceDigests, ServiceKeyStream } from '../port';

const DERIVATIONS_MAX = 100;
const COUNTER_BYTES = 16;

const subKey = (serviceKey: KeyObject, purpose: string): KeyObject => {
  const bytes = deriveBytes(serviceKey, purpose);
  const key = createSecretKey(bytes);
  bytes.fill(0);
  return key;
};

/** HMAC-SHA-256 under sub-keys of the service key, over length-prefixed parts, so that different requests have different digests. */
export class KeyedDigests implements ServiceDigests, ServiceKeyStream {
  readonly #contentKey: KeyObject;
  readonly #cardRefKey: KeyObject;
  readonly #onceKey: KeyObject;
  readonly #streamKey: KeyObject;

  constructor({ serviceKey }: KeyRing) {
    this.#contentKey = subKey(serviceKey, 'content digest');
    this.#cardRefKey = subKey(serviceKey, 'card reference');
    this.#onceKey = subKey(serviceKey, 'once key');
    this.#streamKey = subKey(serviceKey, 'key stream');
  }

  contentDigest(parts: readonly string[]): ContentDigest {
    return createHmac('sha256', this.#contentKey).update(lp(parts)).digest('hex') as ContentDigest;
  }

  cardRefId(merchant: MerchantLogin, orderId: OrderId, use: 'source' | 'destination'): CardRefId {
    for (let derivation = 0; derivation < DERIVATIONS_MAX; derivation++) {
      const bytes = createHmac('sha256', this.#cardRefKey)
        .update(lp([merchant, orderId, use, String(derivation)]))
        .digest();
      const id = cardRefIdFrom(bytes);
      if (id !== undefined) return id;
    }
    throw new Error(`no card reference in ${DERIVATIONS_MAX} derivations`);
  }

  keyStream(purpose: string, bytes: number): Uint8Array {
    const key = deriveBytes(this.#streamKey, purpose);
    // The counter begins at 0 each time, because each purpose has one stream.
    const stream = createCipheriv('aes-256-ctr', key, Buffer.alloc(COUNTER_BYTES)).update(Buffer.alloc(bytes));
    key.fill(0);
    return stream;
  }

  onceKey(kind: string, parts: readonly string[]): string {
    return createHmac('sha256', this.#onceKey)
      .update(lp([kind, ...parts]))
      .digest('hex');
  }
}
