import { seededRandom } from '@app/testing';
import fc from 'fast-check';
import { isOrderId, makeOrderId, ORDER_KINDS, textOrderKind, type OrderKindLetter } from './ids';

const DRAWS = 20_000;
const letters = Object.keys(ORDER_KINDS) as OrderKindLetter[];
const SHAPE = /^[prvt][a-z0-9]{14}r$/;
/** Bytes that encode the digits (0 to 9) and letters (10 to 35) of the alphabet. */
const bytesOf = (first: number): Uint8Array => new Uint8Array(24).fill(first);

describe('makeOrderId', () => {
  it('returns unique ids of 16 characters: kind letter first, r last, never nine digits in a row [W314]', () => {
    const random = seededRandom(7);
    const seen = new Set<string>();
    for (let draw = 0; draw < DRAWS; draw++) {
      const letter = letters[draw % letters.length] ?? 'p';
      const id = makeOrderId(letter, (size) => random.bytes(size));
      if (!SHAPE.test(id) || /[0-9]{9}/.test(id) || id[0] !== letter || textOrderKind(id) !== ORDER_KINDS[letter])
        throw new Error(`bad id ${id}`);
      seen.add(id);
    }
    expect(seen.size).toBe(DRAWS);
  });

  it('draws each of the 36 characters about equally often', () => {
    const random = seededRandom(3);
    const counts = new Map<string, number>();
    for (let draw = 0; draw < 20_000; draw++) {
      for (const character of makeOrderId('p', (size) => random.bytes(size)).slice(1, 15))
        counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    const expected = (20_000 * 14) / 36;
    const unfairness = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    expect(counts.size).toBe(36);
    // Chi-square with 35 degrees of freedom: a fair source exceeds 66.6 once in a thousand. The seed is fixed.
    expect(unfairness).toBeLessThan(66.6);
  });

  it('draws again if nine digits in a row occur', () => {
    const rounds = [bytesOf(1), bytesOf(10)];
    let asked = 0;
    expect(makeOrderId('p', () => rounds[asked++] ?? new Uint8Array())).toBe('paaaaaaaaaaaaaar');
    expect(asked).toBe(2);
  });

  it('draws again if the bytes of a round do not suffice', () => {
    const rounds = [bytesOf(255), bytesOf(35)];
    let asked = 0;
    expect(makeOrderId('r', () => rounds[asked++] ?? new Uint8Array())).toBe('rzzzzzzzzzzzzzzr');
    expect(asked).toBe(2);
  });

  it('skips bytes that would favour some characters', () => {
    const bytes = Uint8Array.from({ length: 24 }, (_, index) => (index < 9 ? 252 + (index % 4) : 251));
    expect(makeOrderId('v', () => bytes)).toBe('vzzzzzzzzzzzzzzr');
  });

  it.each([0, 9, 255])('throws after 100 rounds if the random source repeats itself (%i)', (byte) => {
    let asked = 0;
    const repeating = (size: number): Uint8Array => {
      asked += 1;
      return new Uint8Array(size).fill(byte);
    };
    expect(() => makeOrderId('p', repeating)).toThrow('the random source repeats itself: no order id in 100 rounds');
    expect(asked).toBe(100);
  });
});

describe('isOrderId', () => {
  it.each(['p00000000a00000r', 'rabcdefghijklmnr', 'v12345678a12345r', 'tzzzzzzzzzzzzzzr'])('accepts %s', (text) => {
    expect(isOrderId(text)).toBe(true);
  });

  it.each([
    ['another kind', 'xabcdefghijklmnr'],
    ['another end', 'pabcdefghijklmnc'],
    ['capitals', 'pABCDEFGHIJKLMNr'],
    ['15 characters', 'pabcdefghijklmr'],
    ['17 characters', 'pabcdefghijklmnor'],
    ['nine digits in a row', 'p123456789abcder'],
    ['nine digits at its end', 'pabcde123456789r'],
    ['a line break', 'pabcdefghijklmnr\n'],
    ['a hyphen', 'pabcdefghijklm-r'],
    ['nothing', ''],
  ])('refuses %s', (_, text) => {
    expect(isOrderId(text)).toBe(false);
  });

  it.each(letters)('accepts the kind letter %s, and textOrderKind returns its kind', (letter) => {
    const id = `${letter}abcdefghijklmnr`;
    expect(isOrderId(id) && textOrderKind(id)).toBe(ORDER_KINDS[letter]);
  });

  it('accepts exactly the texts of 16 characters with a kind letter, a final r and no nine digits in a row', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z][a-z0-9]{14}[a-z]$/), (text) => {
        expect(isOrderId(text)).toBe('prvt'.includes(text.charAt(0)) && text.endsWith('r') && !/\d{9}/.test(text));
      }),
    );
  });
});
