import type { Card, CardHandle, MerchantLogin, Random } from '@app/kernel';
import { BOX_OVERHEAD_BYTES, SealedBoxRefused, IV_BYTES, KEY_BYTES, open, seal, lp, readLp } from '../keys/sealed-box';
import { kekName, kekOf, primaryKek, type KekId, type KeyRing } from '../keys/key-ring';

/**
 * Stored form of a card (safety, section 5.2): `version(1)
 * kekId(4)
 * ivW(12)
 * wrappedDEK(32)
 * tagW(16)
 * ivC(12)
 * ct
 * tagC(16)`.
 * The data key seals only this plaintext. Version 0 is a shredded card: zeros of the same length, so that the row is overwritten in place.
 */
const VERSION = 1;
const SHREDDED_VERSION = 0;
const HEADER_BYTES = 5;
const WRAPPED_BYTES = KEY_BYTES + BOX_OVERHEAD_BYTES;
const BOX_AT = HEADER_BYTES + WRAPPED_BYTES;
/** The plaintext is padded to a multiple of this, so that its length reveals nothing about number or name. */
const PADDED_TO_BYTES = 256;
/** Fits a holder of 128 characters (interface, section 2.4) in the longest UTF-8. */
const PADDED_BYTES_MAX = 1_024;
const FIELDS = 4;

export const BLOB_BYTES_MAX = BOX_AT + PADDED_BYTES_MAX + BOX_OVERHEAD_BYTES;

const keyPlace = (merchant: MerchantLogin, handle: CardHandle, kekId: KekId): Buffer => lp(['dek', 'v1', merchant, handle, String(kekId)]);
const cardPlace = (merchant: MerchantLogin, handle: CardHandle): Buffer => lp(['card', 'v1', merchant, handle]);

const padded = ({ number, expiryMonth, expiryYear, holder }: Card): Buffer => {
  const fields = lp([number, String(expiryMonth), String(expiryYear), holder]);
  const sizeBytes = Math.ceil(fields.length / PADDED_TO_BYTES) * PADDED_TO_BYTES;
  if (sizeBytes > PADDED_BYTES_MAX) throw new RangeError('a card longer than the edge lets through');
  const plaintext = Buffer.alloc(sizeBytes);
  plaintext.set(fields);
  fields.fill(0);
  return plaintext;
};

const unpadded = (plaintext: Buffer): Card => {
  const read = readLp(plaintext, FIELDS);
  if (read === undefined) throw new SealedBoxRefused('holds no card');
  const [number = '', month = '', year = '', holder = ''] = read.parts.map((part) => part.toString('utf8'));
  return { number, expiryMonth: Number(month), expiryYear: Number(year), holder };
};

export const sealCard = (ring: KeyRing, random: Random, merchant: MerchantLogin, handle: CardHandle, card: Card): Buffer => {
  const dek = random.bytes(KEY_BYTES);
  const plaintext = padded(card);
  const header = Buffer.alloc(HEADER_BYTES, VERSION);
  header.writeUInt32BE(ring.primaryKekId, 1);
  const wrapped = seal(primaryKek(ring), random.bytes(IV_BYTES), dek, keyPlace(merchant, handle, ring.primaryKekId));
  const box = seal(dek, random.bytes(IV_BYTES), plaintext, cardPlace(merchant, handle));
  dek.fill(0);
  plaintext.fill(0);
  return Buffer.concat([header, wrapped, box]);
};

export const kekIdOf = (stored: Uint8Array): KekId | undefined => {
  const blob = Buffer.from(stored.buffer, stored.byteOffset, stored.length);
  return isShredded(blob) || blob.length < BOX_AT ? undefined : blob.readUInt32BE(1);
};

/**
 * Rewraps the card's data key under the primary KEK, without decrypting the card.
 * @throws SealedBoxRefused, KeyRingFault as `openCard`
 */
export const rewrapCard = (ring: KeyRing, iv: Uint8Array, merchant: MerchantLogin, handle: CardHandle, stored: Uint8Array): Buffer => {
  const blob = Buffer.from(stored); // a copy: the caller compares the row with the stored one later
  if (blob[0] !== VERSION) throw new SealedBoxRefused(`a card blob of version ${blob[0]}`);
  const from = blob.readUInt32BE(1);
  const { primaryKekId: to } = ring;
  const dek = openAt(kekOf(ring, from), blob.subarray(HEADER_BYTES, BOX_AT), keyPlace(merchant, handle, from), kekName(from));
  blob.writeUInt32BE(to, 1);
  blob.set(seal(primaryKek(ring), iv, dek, keyPlace(merchant, handle, to)), HEADER_BYTES);
  dek.fill(0);
  return blob;
};

/**
 * @throws SealedBoxRefused if the blob was changed, cut, or belongs to another merchant or card
 * @throws KeyRingFault if the ring no longer has its KEK
 */
export const openCard = (ring: KeyRing, merchant: MerchantLogin, handle: CardHandle, stored: Uint8Array): Card | undefined => {
  const blob = Buffer.from(stored.buffer, stored.byteOffset, stored.length);
  if (isShredded(blob)) return undefined;
  const paddedBytes = blob.length - BOX_AT - BOX_OVERHEAD_BYTES;
  if (paddedBytes < PADDED_TO_BYTES || paddedBytes > PADDED_BYTES_MAX || paddedBytes % PADDED_TO_BYTES !== 0) {
    throw new SealedBoxRefused(`a card blob of ${blob.length} bytes`);
  }
  if (blob[0] !== VERSION) throw new SealedBoxRefused(`a card blob of version ${blob[0]}`);
  const kekId = blob.readUInt32BE(1);
  const dek = openAt(kekOf(ring, kekId), blob.subarray(HEADER_BYTES, BOX_AT), keyPlace(merchant, handle, kekId), kekName(kekId));
  try {
    const plaintext = openAt(dek, blob.subarray(BOX_AT), cardPlace(merchant, handle), 'its own key');
    try {
      return unpadded(plaintext);
    } finally {
      plaintext.fill(0);
    }
  } finally {
    dek.fill(0);
  }
};

const openAt = (key: Parameters<typeof open>[0], box: Buffer, place: Buffer, keyName: string): Buffer => {
  try {
    return open(key, box, place);
  } catch (error) {
    if (error instanceof SealedBoxRefused) throw new SealedBoxRefused(`a card blob under ${keyName} ${error.message}`);
    throw error;
  }
};

const isShredded = (blob: Buffer): boolean => blob[0] === SHREDDED_VERSION && blob.every((byte) => byte === 0);
