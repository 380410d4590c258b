import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { systemRandom } from '@app/kernel';
import { BOX_OVERHEAD_BYTES, SealedBoxRefused, IV_BYTES, KEY_BYTES, open, seal, TAG_BYTES, lp, readLp, Ivs } from './sealed-box';

const key = randomBytes(KEY_BYTES);
const place = Buffer.from('place');
const sealed = (plaintext: Uint8Array): Buffer => seal(key, randomBytes(IV_BYTES), plaintext, place);

describe('a sealed box', () => {
  it('opens to its content', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => expect(open(key, sealed(bytes), place)).toEqual(Buffer.from(bytes))),
    );
  });

  it('consists of IV, ciphertext and tag', () => {
    const iv = randomBytes(IV_BYTES);
    const box = seal(key, iv, Buffer.from('text'), place);
    expect(box.subarray(0, IV_BYTES)).toEqual(iv);
    expect(box).toHaveLength(4 + BOX_OVERHEAD_BYTES);
  });

  it('is rejected with any bit changed, another key or other associated data', () => {
    const box = sealed(Buffer.from('text'));
    for (let bit = 0; bit < box.length * 8; bit++) {
      const changed = Buffer.from(box);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => open(key, changed, place)).toThrow(SealedBoxRefused);
    }
    expect(() => open(randomBytes(KEY_BYTES), box, place)).toThrow(SealedBoxRefused);
    expect(() => open(key, box, Buffer.from('elsewhere'))).toThrow(SealedBoxRefused);
    expect(open(key, box, place).toString()).toBe('text');
  });

  it('is rejected with its tag truncated to any length (safety, T49)', () => {
    const box = sealed(Buffer.alloc(0));
    for (let cut = 1; cut <= TAG_BYTES; cut++) expect(() => open(key, box.subarray(0, box.length - cut), place)).toThrow(SealedBoxRefused);
    const long = sealed(Buffer.alloc(64));
    for (let cut = 1; cut < long.length; cut++)
      expect(() => open(key, long.subarray(0, long.length - cut), place)).toThrow(SealedBoxRefused);
  });

  it('requires an IV of the right length', () => {
    expect(() => seal(key, randomBytes(8), Buffer.alloc(1), place)).toThrow(RangeError);
  });
});

const part = fc.oneof(fc.string({ unit: 'grapheme' }), fc.uint8Array({ maxLength: 40 }));
const bytesOf = (value: string | Uint8Array): Buffer => Buffer.from(value as string);

describe('length-prefixed parts', () => {
  it('are preceded by their length in four big-endian bytes', () => {
    expect(lp(['ab', '', 'é']).toString('hex')).toBe('00000002' + '6162' + '00000000' + '00000002' + 'c3a9');
  });

  it('are read back unchanged', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const read = readLp(lp(parts), parts.length);
        expect(read?.parts.map((bytes) => Buffer.from(bytes))).toEqual(parts.map(bytesOf));
        expect(read?.rest).toHaveLength(0);
      }),
    );
  });

  it('differ if a boundary between parts moves', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 4 }), { maxLength: 5 }),
        fc.array(fc.string({ maxLength: 4 }), { maxLength: 5 }),
        (a, b) => {
          expect(lp(a).equals(lp(b))).toBe(JSON.stringify(a) === JSON.stringify(b));
        },
      ),
    );
    expect(lp(['12', '345']).equals(lp(['123', '45']))).toBe(false);
  });

  it('are undefined if they are truncated', () => {
    const joined = lp(['abc', 'def']);
    for (let length = 0; length < joined.length; length++) expect(readLp(joined.subarray(0, length), 2)).toBeUndefined();
  });
});

describe('IVs', () => {
  it('have 12 bytes each and do not repeat in 10,000 draws', () => {
    const ivs = new Ivs(systemRandom);
    const given = Array.from({ length: 10_000 }, () => Buffer.from(ivs.next()).toString('hex'));
    expect(new Set(given).size).toBe(10_000);
    for (const iv of given) expect(iv).toHaveLength(24);
  });

  it('are the bytes of the random source in order', () => {
    let draws = 0;
    const ivs = new Ivs({
      bytes: (size) => Uint8Array.from({ length: size }, (_, at) => (at + draws) & 0xff).fill(++draws, 0, 1),
      fraction: () => 0,
    });
    const given = Array.from({ length: 257 }, () => ivs.next());
    expect(given[0]).toEqual(Uint8Array.from([1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]));
    expect(given[1]?.[0]).toBe(12);
    expect(given[256]?.[0]).toBe(2);
  });
});
