import { randomBytes, randomFillSync, type KeyObject } from 'node:crypto';
import { IV_BYTES, KEY_BYTES, seal } from './sealed-box';
import type { KekId } from './key-ring';
import { BLOCK_ID_BYTES, orderKeyId, orderKeyPlace } from './order-key';
import type { OrderKeyId } from '../port';
import type { OrderKeyBlock } from '../vault-store';

export interface WrappedOrderKey {
  readonly id: OrderKeyId;
  readonly wrapped: Buffer;
}

/** Keys that this process drew. 96 random bits name the block, so that no other process or run has the same ids. */
export const drawOrderKeys = (count: number): OrderKeyBlock => {
  const keys = new Uint8Array(count * KEY_BYTES);
  randomFillSync(keys);
  return { id: new Uint8Array(randomBytes(BLOCK_ID_BYTES)), keys };
};

/** Yields key by key, for callers that wrap them on a busy thread. */
export function* wrapOrderKeys({ id: block, keys }: OrderKeyBlock, kekId: KekId, kek: KeyObject): Generator<WrappedOrderKey> {
  const count = keys.length / KEY_BYTES;
  const ivs = randomBytes(count * IV_BYTES);
  for (let position = 0; position < count; position++) {
    const id = orderKeyId(block, position);
    const iv = ivs.subarray(position * IV_BYTES, (position + 1) * IV_BYTES);
    const key = keys.subarray(position * KEY_BYTES, (position + 1) * KEY_BYTES);
    yield { id, wrapped: seal(kek, iv, key, orderKeyPlace(id, kekId)) };
  }
}
