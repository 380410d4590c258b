import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { systemRandom, type MerchantLogin, type Sealed } from '@app/kernel';
import { SealedBoxRefused, Ivs } from './sealed-box';
import { orderKeyId, PlainOrderKey, readSealed, CACHED_ORDER_KEY_MS, OrderKeyCache } from './order-keys';
import { instant } from '../testing/keys';

const acme = 'acme' as MerchantLogin;
const block = randomBytes(12);
const newKey = (position = 7): PlainOrderKey => new PlainOrderKey(orderKeyId(block, position), randomBytes(32), new Ivs(systemRandom));

describe('a text sealed under an order key', () => {
  it('opens to the same text and contains the id of its key', () => {
    const key = newKey();
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.string(), (text, field) => {
        const sealed = key.seal(acme, field, text);
        const { id, box } = readSealed(sealed);
        expect(id).toBe(key.id);
        expect(key.unseal(acme, field, box)).toBe(text);
      }),
    );
  });

  it('differs each time it is sealed', () => {
    const key = newKey();
    expect(key.seal(acme, 'email', 'a@b.c')).not.toBe(key.seal(acme, 'email', 'a@b.c'));
  });

  it('is rejected for another merchant, field or key', () => {
    const key = newKey();
    const { box } = readSealed(key.seal(acme, 'email', 'a@b.c'));
    expect(() => key.unseal('other' as MerchantLogin, 'email', box)).toThrow(SealedBoxRefused);
    expect(() => key.unseal(acme, 'phone', box)).toThrow(SealedBoxRefused);
    expect(() => newKey().unseal(acme, 'email', box)).toThrow(SealedBoxRefused);
    expect(() => key.unseal(acme, 'email', box.subarray(0, box.length - 12))).toThrow(SealedBoxRefused);
  });

  it.each(['', 'v1', 'v1..', 'v2.AAAAAAAAAAAAAAAAAAAA.AAAA', 'v1.short.AAAA', 'v1.AAAAAAAAAAAAAAAAAAAA.AAAA.more', '[erased]'])(
    'is not parsed from %j',
    (text) => {
      expect(() => readSealed(text as Sealed)).toThrow(SealedBoxRefused);
    },
  );
});

describe('an order key', () => {
  it('has a distinct id for each block and position', () => {
    const ids = [orderKeyId(block, 0), orderKeyId(block, 1), orderKeyId(block, 2 ** 24 - 1), orderKeyId(randomBytes(12), 0)];
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{20}$/);
  });

  it('cannot seal after it is forgotten, and its bytes are overwritten', () => {
    const bytes = randomBytes(32);
    const key = new PlainOrderKey(orderKeyId(block, 1), bytes, new Ivs(systemRandom));
    key.forget();
    expect(bytes).toEqual(Buffer.alloc(32));
    expect(() => key.seal(acme, 'email', 'a@b.c')).toThrow('was erased');
  });

  it('prints only its id', () => {
    const key = newKey();
    expect(JSON.parse(JSON.stringify(key))).toEqual({ id: key.id });
  });
});

describe('the order key cache', () => {
  let nowMs = 1_000;
  const clock = { now: () => instant(nowMs) };

  it('keeps a key for one minute regardless of use, and no longer if the clock is set back', () => {
    nowMs = 1_000;
    const cache = new OrderKeyCache(2, clock);
    const [a, b] = [newKey(1), newKey(2)];
    cache.put(a);
    nowMs += CACHED_ORDER_KEY_MS - 1;
    expect(cache.get(a.id)).toBe(a);
    nowMs += 1;
    expect([cache.get(a.id), cache.size]).toEqual([undefined, 0]);
    cache.put(b);
    nowMs -= 1;
    expect(cache.get(b.id)).toBeUndefined();
    expect(a.seal(acme, 'x', 'y')).toMatch(/^v1\./);
  });

  it('evicts the least recently used key when full, and a holder can still use that key', () => {
    const cache = new OrderKeyCache(2, clock);
    const [a, b, c] = [newKey(1), newKey(2), newKey(3)];
    cache.put(a);
    cache.put(b);
    expect(cache.get(a.id)).toBe(a);
    cache.put(c);
    expect([cache.get(a.id), cache.get(b.id), cache.get(c.id), cache.size]).toEqual([a, undefined, c, 2]);
    expect(b.seal(acme, 'x', 'y')).toMatch(/^v1\./);
  });

  it('overwrites a key when it is forgotten or cleared', () => {
    const cache = new OrderKeyCache(2, clock);
    const [a, b] = [newKey(1), newKey(2)];
    cache.put(a);
    cache.put(b);
    cache.forget(a.id);
    expect(cache.get(a.id)).toBeUndefined();
    expect(() => a.seal(acme, 'x', 'y')).toThrow('was erased');
    cache.clear();
    expect(cache.size).toBe(0);
    expect(() => b.seal(acme, 'x', 'y')).toThrow('was erased');
  });
});
