import fc from 'fast-check';
import { isLuhnValid } from './card';
import { withPlainDigits } from './plain-digits';

/** The textbook check digit: from the right, double every other digit and add the digits. */
const checkDigitOf = (payload: string): string => {
  const sum = [...payload].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + Math.floor(value / 10) + (value % 10);
  }, 0);
  return String((10 - (sum % 10)) % 10);
};
const payloads = fc.stringMatching(/^\d{8,18}$/);

describe('isLuhnValid', () => {
  it.each(['0', '18', '26', '34', '42', '59', '67', '75', '83', '91', '79927398713', '0000000000'])('accepts %s', (digits) => {
    expect(isLuhnValid(digits)).toBe(true);
  });

  it.each([
    '',
    '1',
    '19',
    '79927398710',
    '79927398712',
    '7992739871',
    '7992 7398 713',
    '79927398713 ',
    '7992739871a',
    '-18',
    '\uff11\uff18',
  ])('refuses "%s" [W459]', (digits) => {
    expect(isLuhnValid(digits)).toBe(false);
  });

  it('accepts exactly one check digit for any number', () => {
    fc.assert(
      fc.property(payloads, (payload) => {
        const valid = [...'0123456789'].filter((digit) => isLuhnValid(payload + digit));
        expect(valid).toStrictEqual([checkDigitOf(payload)]);
      }),
    );
  });

  it('detects every single mistyped digit', () => {
    fc.assert(
      fc.property(payloads, fc.nat(), fc.integer({ min: 1, max: 9 }), (payload, place, shift) => {
        const digits = [...(payload + checkDigitOf(payload))];
        const index = place % digits.length;
        digits[index] = String((Number(digits[index]) + shift) % 10);
        expect(isLuhnValid(digits.join(''))).toBe(false);
      }),
    );
  });

  it('detects two transposed neighbours, except 0 and 9', () => {
    fc.assert(
      fc.property(payloads, fc.nat(), (payload, place) => {
        const digits = payload + checkDigitOf(payload);
        const index = place % (digits.length - 1);
        const [left = '', right = ''] = digits.slice(index, index + 2);
        const swapped = digits.slice(0, index) + right + left + digits.slice(index + 2);
        const isBlind = left === right || ['09', '90'].includes(left + right);
        expect(isLuhnValid(swapped)).toBe(isBlind);
      }),
    );
  });
});

describe('withPlainDigits', () => {
  it.each([
    ['４４', '44'],
    ['٤۴४', '444'],
    ['⁴₄', '44'],
    ['④⑫⒌', '4125.'],
    ['\u{1d7dc}\u{1d7e4}\u{1fbf4}', '424'],
    ['４－４\u00a0４．４', '4-4 4.4'],
    ['½', '1⁄2'],
  ])('converts %s to %s', (text, plain) => expect(withPlainDigits(text)).toBe(plain));

  it.each(['', 'abc 123', 'Zoë', '漢字', '\u{20000}\u{1f4b3}', '\ud800', 'a\udc00', 'a\u0301\u0316', '\ufdfa'])(
    'returns %j unchanged',
    (text) => expect(withPlainDigits(text)).toBe(text),
  );

  it('converts every Unicode decimal digit to the ASCII digit of the same value', () => {
    const digits: string[] = [];
    for (let codePoint = 0x80; codePoint <= 0x1ffff; codePoint++) {
      const character = String.fromCodePoint(codePoint);
      if (/\p{Nd}/u.test(character)) digits.push(character);
    }
    const plain = digits.map(withPlainDigits);
    expect(digits.length).toBeGreaterThan(600);
    expect(plain.join('')).toBe('0123456789'.repeat(digits.length / 10));
  });

  it('finds the same digits as Unicode NFKC normalisation', () => {
    const sign = fc.oneof(
      fc.constantFrom('４', '①', '⑳', '⒈', '½', '㏠', '\u{1d7ce}', '-', '\u0316', '\u0301', '\ufdfa', 'ﬀ', '가', '\u{2f800}'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    );
    const asciiDigits = (text: string): string => text.replace(/[^0-9]/g, '');
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 30 }), (signs) => {
        const text = signs.join('');
        const [ours, normal] = [withPlainDigits(text), text.normalize('NFKC')];
        const withoutOtherScripts = signs.filter((one) => !/\p{Nd}/u.test(one) || /\d/.test(one.normalize('NFKC'))).join('');
        if (withoutOtherScripts === text) expect(asciiDigits(ours)).toBe(asciiDigits(normal));
      }),
    );
  });
});
