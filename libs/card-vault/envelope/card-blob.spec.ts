import { createSecretKey, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { systemRandom, type Card, type CardHandle, type MerchantLogin } from '@app/kernel';
import { BLOB_BYTES_MAX, openCard, sealCard } from './card-blob';
import { lp, SealedBoxRefused, IV_BYTES, seal } from '../keys/sealed-box';
import { KeyRingFault, primaryKek } from '../keys/key-ring';
import { newKeyRing } from '../testing/keys';

const ring = newKeyRing();
const acme = 'acme' as MerchantLogin;
const handle = 'handle-1' as CardHandle;
const card: Card = { number: '4444333322221111', expiryMonth: 7, expiryYear: 2031, holder: 'JOHN SMITH' };
const sealed = (what: Card = card): Buffer => sealCard(ring, systemRandom, acme, handle, what);

const cards = fc.record({
  number: fc.stringMatching(/^\d{9,19}$/),
  expiryMonth: fc.integer({ min: 1, max: 12 }),
  expiryYear: fc.integer({ min: 2000, max: 2099 }),
  holder: fc.string({ unit: 'grapheme-composite', maxLength: 60 }),
});

describe('a card blob', () => {
  it('opens to the sealed card', () => {
    fc.assert(
      fc.property(cards, (one) => {
        const blob = sealed(one);
        expect(blob.length).toBeLessThanOrEqual(BLOB_BYTES_MAX);
        expect(openCard(ring, acme, handle, blob)).toEqual(one);
      }),
    );
  });

  it('consists of version, KEK id, 60-byte wrapped key and a box padded to 256 bytes (safety, section 5.2)', () => {
    const blob = sealed();
    expect(blob[0]).toBe(1);
    expect(blob.readUInt32BE(1)).toBe(1);
    expect(blob).toHaveLength(5 + 12 + 32 + 16 + 12 + 256 + 16);
  });

  it('has the same length for any card number and holder name', () => {
    const lengths = [
      { ...card, number: '123456782', holder: '' },
      { ...card, number: '6304000000000000000', holder: 'x'.repeat(128) },
    ].map((one) => sealed(one).length);
    expect(lengths[0]).toBe(lengths[1]);
  });

  it('accepts the longest holder name in the widest characters and rejects a longer one', () => {
    const longest = { ...card, number: '6304000000000000000', holder: '字'.repeat(128) };
    expect(openCard(ring, acme, handle, sealed(longest))).toEqual(longest);
    expect(() => sealed({ ...card, holder: 'x'.repeat(1_024) })).toThrow(RangeError);
  });

  it('has a new key each time and contains no clear card number', () => {
    const [one, other] = [sealed(), sealed()];
    expect(one.equals(other)).toBe(false);
    expect(one.includes(card.number)).toBe(false);
  });

  it('is rejected for another merchant or card handle', () => {
    const blob = sealed();
    expect(() => openCard(ring, 'other' as MerchantLogin, handle, blob)).toThrow(SealedBoxRefused);
    expect(() => openCard(ring, acme, 'handle-2' as CardHandle, blob)).toThrow(SealedBoxRefused);
  });

  it('is rejected with the key of another card of the same merchant', () => {
    const other = sealCard(ring, systemRandom, acme, 'handle-2' as CardHandle, card);
    const crossed = Buffer.concat([other.subarray(0, 65), sealed().subarray(65)]);
    expect(() => openCard(ring, acme, handle, crossed)).toThrow(SealedBoxRefused);
  });

  it('is rejected if truncated or if any byte is changed', () => {
    const blob = sealed();
    for (let length = 1; length < blob.length; length++) {
      expect(() => openCard(ring, acme, handle, blob.subarray(0, length))).toThrow(SealedBoxRefused);
    }
    for (let at = 0; at < blob.length; at++) {
      const changed = Buffer.from(blob);
      changed[at] = (changed[at] ?? 0) ^ 0x40;
      // A changed KEK id names a key that is not in the ring.
      expect(() => openCard(ring, acme, handle, changed)).toThrow(at >= 1 && at <= 4 ? KeyRingFault : SealedBoxRefused);
    }
  });

  it('is rejected if its correctly sealed content is not a card', () => {
    const dek = randomBytes(32);
    const boxOf = (plaintext: Buffer): Buffer => {
      const wrapped = seal(primaryKek(ring), randomBytes(IV_BYTES), dek, lp(['dek', 'v1', acme, handle, '1']));
      const box = seal(dek, randomBytes(IV_BYTES), plaintext, lp(['card', 'v1', acme, handle]));
      return Buffer.concat([Buffer.from([1, 0, 0, 0, 1]), wrapped, box]);
    };
    const whole = Buffer.alloc(256);
    whole.set(lp([card.number, '7', '2031', card.holder]));
    expect(openCard(ring, acme, handle, boxOf(whole))).toEqual(card);
    const open = (): unknown => openCard(ring, acme, handle, boxOf(Buffer.alloc(256, 0xff)));
    expect(open).toThrow(SealedBoxRefused);
    expect(open).toThrow(/^holds no card$/);
  });

  it('throws an error other than SealedBoxRefused if the KEK has the wrong length', () => {
    const short = { ...ring, keks: new Map([[1, createSecretKey(randomBytes(16))]]) };
    const open = (): unknown => openCard(short, acme, handle, sealed());
    expect(open).toThrow('Invalid key length');
    expect(open).not.toThrow(SealedBoxRefused);
  });

  it('stays readable after a KEK rotation, but not without its own KEK', () => {
    const blob = sealed();
    const next = createSecretKey(randomBytes(32));
    expect(openCard({ ...ring, primaryKekId: 2, keks: new Map([...ring.keks, [2, next]]) }, acme, handle, blob)).toEqual(card);
    expect(() => openCard({ ...ring, primaryKekId: 2, keks: new Map([[2, next]]) }, acme, handle, blob)).toThrow(KeyRingFault);
  });

  it('reads as shredded only if every byte is zero', () => {
    const blob = sealed();
    expect(openCard(ring, acme, handle, new Uint8Array(blob.length))).toBeUndefined();
    blob[0] = 0;
    expect(() => openCard(ring, acme, handle, blob)).toThrow(SealedBoxRefused);
  });
});
