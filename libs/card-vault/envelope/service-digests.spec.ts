import fc from 'fast-check';
import { isCardRefId, type MerchantLogin, type OrderId } from '@app/kernel';
import { KeyedDigests } from './service-digests';
import { newKeyRing } from '../testing/keys';

const ring = newKeyRing();
const digests = new KeyedDigests(ring);
const acme = 'acme' as MerchantLogin;
const order = (n: number): OrderId => `p${n.toString(36).padStart(14, '0')}r` as OrderId;

describe('the digest of a content', () => {
  it('is equal for equal parts and for no others', () => {
    const parts = fc.array(fc.string({ maxLength: 6 }), { maxLength: 6 });
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        expect(digests.contentDigest(a)).toMatch(/^[0-9a-f]{64}$/);
        expect(digests.contentDigest(a) === digests.contentDigest(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
    );
    expect(digests.contentDigest(['12', '345'])).not.toBe(digests.contentDigest(['123', '45']));
  });

  it('is the same after a restart and different under another key', () => {
    expect(new KeyedDigests(ring).contentDigest(['a'])).toBe(digests.contentDigest(['a']));
    expect(new KeyedDigests(newKeyRing()).contentDigest(['a'])).not.toBe(digests.contentDigest(['a']));
  });

  it('shares nothing with a look-up key of the same parts', () => {
    expect(digests.onceKey('a', ['b'])).not.toBe(digests.contentDigest(['a', 'b']));
    expect(digests.onceKey('a', ['b'])).not.toBe(digests.onceKey('ab', []));
    expect(digests.onceKey('nonce', ['b'])).toBe(new KeyedDigests(ring).onceKey('nonce', ['b']));
  });
});

describe('the key stream of a purpose', () => {
  it('begins the same whenever asked, however much of it, and another under another purpose or key', () => {
    const stream = Buffer.from(digests.keyStream('a', 1_000));
    expect(Buffer.from(new KeyedDigests(ring).keyStream('a', 100))).toStrictEqual(stream.subarray(0, 100));
    expect(Buffer.from(digests.keyStream('b', 100))).not.toStrictEqual(stream.subarray(0, 100));
    expect(Buffer.from(new KeyedDigests(newKeyRing()).keyStream('a', 100))).not.toStrictEqual(stream.subarray(0, 100));
    expect(new Set(stream).size).toBeGreaterThan(200);
  });
});

describe('a card reference', () => {
  it('is well-shaped and belongs to one order, of 20,000', () => {
    const references = new Set<string>();
    for (let n = 0; n < 20_000; n++) {
      const reference = digests.cardRefId(acme, order(n), 'source');
      if (isCardRefId(reference)) references.add(reference);
    }
    expect(references.size).toBe(20_000);
  });

  it('is the same at any time, and different for another use, merchant or key', () => {
    const reference = digests.cardRefId(acme, order(1), 'source');
    expect(new KeyedDigests(ring).cardRefId(acme, order(1), 'source')).toBe(reference);
    expect(digests.cardRefId(acme, order(1), 'destination')).not.toBe(reference);
    expect(digests.cardRefId('other' as MerchantLogin, order(1), 'source')).not.toBe(reference);
    expect(new KeyedDigests(newKeyRing()).cardRefId(acme, order(1), 'source')).not.toBe(reference);
  });
});
