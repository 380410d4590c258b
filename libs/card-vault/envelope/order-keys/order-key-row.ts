import { open, seal } from '../../sealed-box/sealed-box';
import { kekOf, primaryKek, type KeyRing } from '../../key-ring/key-ring';
import type { OrderKeyId } from '../../port';
import type { StoredOrderKey } from '../../vault-store';
import { orderKeyPlace } from './order-key';

export const isErasedKey = ({ wrapped }: Pick<StoredOrderKey, 'wrapped'>): boolean => wrapped.every((byte) => byte === 0);

/** The key in the clear; the caller overwrites it. @throws BoxRefused; KeyRingFault where its KEK is gone */
export const unwrapOrderKey = (ring: KeyRing, id: OrderKeyId, { kekId, wrapped }: StoredOrderKey): Buffer =>
  open(kekOf(ring, kekId), wrapped, orderKeyPlace(id, kekId));

/**
 * The same key under the ring's primary KEK.
 * @param from the ring that it lies under, where that is another
 * @throws as `unwrapOrderKey`
 */
export const rewrapOrderKey = (
  ring: KeyRing,
  iv: Uint8Array,
  id: OrderKeyId,
  stored: StoredOrderKey,
  from: KeyRing = ring,
): StoredOrderKey => {
  const { primaryKekId: kekId } = ring;
  const key = unwrapOrderKey(from, id, stored);
  const wrapped = seal(primaryKek(ring), iv, key, orderKeyPlace(id, kekId));
  key.fill(0);
  return { kekId, wrapped };
};
