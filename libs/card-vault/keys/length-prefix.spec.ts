import fc from 'fast-check';
import { lp, readLp } from './length-prefix';

const part = fc.oneof(fc.string({ unit: 'grapheme' }), fc.uint8Array({ maxLength: 40 }));
const bytesOf = (value: string | Uint8Array): Buffer => Buffer.from(value as string);

describe('length-prefixed parts', () => {
  it('follow their length of 4 bytes, big endian', () => {
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

  it('differ where a boundary between parts moves', () => {
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

  it('are undefined where they are cut short', () => {
    const joined = lp(['abc', 'def']);
    for (let length = 0; length < joined.length; length++) expect(readLp(joined.subarray(0, length), 2)).toBeUndefined();
  });
});
