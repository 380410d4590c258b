import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { BOX_OVERHEAD_BYTES, BoxRefused, IV_BYTES, KEY_BYTES, open, seal, TAG_BYTES } from './sealed-box';

const key = randomBytes(KEY_BYTES);
const place = Buffer.from('place');
const sealed = (plaintext: Uint8Array): Buffer => seal(key, randomBytes(IV_BYTES), plaintext, place);

describe('a sealed box', () => {
  it('opens to its content', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => expect(open(key, sealed(bytes), place)).toEqual(Buffer.from(bytes))),
    );
  });

  it('is iv, ciphertext, tag', () => {
    const iv = randomBytes(IV_BYTES);
    const box = seal(key, iv, Buffer.from('text'), place);
    expect(box.subarray(0, IV_BYTES)).toEqual(iv);
    expect(box).toHaveLength(4 + BOX_OVERHEAD_BYTES);
  });

  it('is refused with any bit changed, another key or another place', () => {
    const box = sealed(Buffer.from('text'));
    for (let bit = 0; bit < box.length * 8; bit++) {
      const changed = Buffer.from(box);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => open(key, changed, place)).toThrow(BoxRefused);
    }
    expect(() => open(randomBytes(KEY_BYTES), box, place)).toThrow(BoxRefused);
    expect(() => open(key, box, Buffer.from('elsewhere'))).toThrow(BoxRefused);
    expect(open(key, box, place).toString()).toBe('text');
  });

  it('is refused with its tag cut short, to whatever length (safety, T49)', () => {
    const box = sealed(Buffer.alloc(0));
    for (let cut = 1; cut <= TAG_BYTES; cut++) expect(() => open(key, box.subarray(0, box.length - cut), place)).toThrow(BoxRefused);
    const long = sealed(Buffer.alloc(64));
    for (let cut = 1; cut < long.length; cut++) expect(() => open(key, long.subarray(0, long.length - cut), place)).toThrow(BoxRefused);
  });

  it('requires an iv of the right length', () => {
    expect(() => seal(key, randomBytes(8), Buffer.alloc(1), place)).toThrow(RangeError);
  });
});
