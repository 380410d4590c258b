import { createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import { isCardRefId, type MerchantLogin, type OrderId } from '@app/kernel';
import { KeyedDigests } from './digests';
import { newKeyRing } from '../testing/keys';

const ring = newKeyRing();
const digests = new KeyedDigests(ring);
const acme = 'acme' as MerchantLogin;
const order = (n: number): OrderId => `p${n.toString(36).padStart(14, '0')}r` as OrderId;

describe('digests under a fixed service key', () => {
  const known = new KeyedDigests(newKeyRing({ serviceKey: createSecretKey(Buffer.alloc(32, 7)) }));

  it('keep their known values for a content digest, a unique claim key and a key stream', () => {
    expect(known.contentDigest(['sale', '1001', 'é'])).toBe('1c6f675b2d21188e7d7832aa7e0f545043937a9010da64380f39eb86dea0e683');
    expect(known.onceKey('nonce', ['a', 'b'])).toBe('a148bcfc2f23629cf65e01ca3ec21a4f729538365b0acc25948eafc63440d911');
    expect(Buffer.from(known.keyStream('a', 24)).toString('hex')).toBe('2ae551acc92536171933e6c693d1b6a2fb62a443221985d8');
  });

  it.each([
    ['the first derivation', order(1), 'source', 'ybrhmidttee7ff8svasc'],
    ['the second if the first gives none', order(2), 'source', 'c4v5cbpf418sv8vd7ejc'],
    ['the third if the first two give none', order(44), 'source', 'us1cm3mz8r7oq6td016c'],
    ['a destination', order(1), 'destination', 'ou0uz0u1tscc0z6fuy0c'],
  ] as const)('keep the known value of a card reference by %s', (_, orderId, use, reference) => {
    expect(known.cardRefId(acme, orderId, use)).toBe(reference);
  });
});

describe('the content digest', () => {
  it('is equal only for equal parts', () => {
    const parts = fc.array(fc.string({ maxLength: 6 }), { maxLength: 6 });
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        expect(digests.contentDigest(a)).toMatch(/^[0-9a-f]{64}$/);
        expect(digests.contentDigest(a) === digests.contentDigest(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
    );
    expect(digests.contentDigest(['12', '345'])).not.toBe(digests.contentDigest(['123', '45']));
  });

  it('is the same after a restart and differs under another key [W278]', () => {
    expect(new KeyedDigests(ring).contentDigest(['a'])).toBe(digests.contentDigest(['a']));
    expect(new KeyedDigests(newKeyRing()).contentDigest(['a'])).not.toBe(digests.contentDigest(['a']));
  });

  it('differs from a unique claim key of the same parts', () => {
    expect(digests.onceKey('a', ['b'])).not.toBe(digests.contentDigest(['a', 'b']));
    expect(digests.onceKey('a', ['b'])).not.toBe(digests.onceKey('ab', []));
    expect(digests.onceKey('nonce', ['b'])).toBe(new KeyedDigests(ring).onceKey('nonce', ['b']));
  });
});

describe('the key stream of a purpose', () => {
  it('has the same prefix for any requested length and differs for another purpose or key', () => {
    const stream = Buffer.from(digests.keyStream('a', 1_000));
    expect(Buffer.from(new KeyedDigests(ring).keyStream('a', 100))).toStrictEqual(stream.subarray(0, 100));
    expect(Buffer.from(digests.keyStream('b', 100))).not.toStrictEqual(stream.subarray(0, 100));
    expect(Buffer.from(new KeyedDigests(newKeyRing()).keyStream('a', 100))).not.toStrictEqual(stream.subarray(0, 100));
    expect(new Set(stream).size).toBeGreaterThan(200);
  });
});

describe('a card reference', () => {
  it('is well-formed and unique for 20,000 orders [W287]', () => {
    const references = new Set<string>();
    for (let n = 0; n < 20_000; n++) {
      const reference = digests.cardRefId(acme, order(n), 'source');
      if (isCardRefId(reference)) references.add(reference);
    }
    expect(references.size).toBe(20_000);
  });

  it('is stable after a restart and differs for another use, merchant or key', () => {
    const reference = digests.cardRefId(acme, order(1), 'source');
    expect(new KeyedDigests(ring).cardRefId(acme, order(1), 'source')).toBe(reference);
    expect(digests.cardRefId(acme, order(1), 'destination')).not.toBe(reference);
    expect(digests.cardRefId('other' as MerchantLogin, order(1), 'source')).not.toBe(reference);
    expect(new KeyedDigests(newKeyRing()).cardRefId(acme, order(1), 'source')).not.toBe(reference);
  });
});
