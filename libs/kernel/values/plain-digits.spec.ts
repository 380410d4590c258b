import fc from 'fast-check';
import { withPlainDigits } from './plain-digits';

describe('digits of every script', () => {
  it.each([
    ['４４', '44'],
    ['٤۴४', '444'],
    ['⁴₄', '44'],
    ['④⑫⒌', '4125.'],
    ['\u{1d7dc}\u{1d7e4}\u{1fbf4}', '424'],
    ['４－４\u00a0４．４', '4-4 4.4'],
    ['½', '1⁄2'],
  ])('%s is %s', (text, plain) => expect(withPlainDigits(text)).toBe(plain));

  it.each(['', 'abc 123', 'Zoë', '漢字', '\u{20000}\u{1f4b3}', '\ud800', 'a\udc00', 'a\u0301\u0316', '\ufdfa'])(
    '%j says nothing but itself',
    (text) => expect(withPlainDigits(text)).toBe(text),
  );

  it('every decimal digit that Unicode has is one of ASCII, by its place in its script', () => {
    const digits: string[] = [];
    for (let codePoint = 0x80; codePoint <= 0x1ffff; codePoint++) {
      const character = String.fromCodePoint(codePoint);
      if (/\p{Nd}/u.test(character)) digits.push(character);
    }
    const plain = digits.map(withPlainDigits);
    expect(digits.length).toBeGreaterThan(600);
    expect(plain.join('')).toBe('0123456789'.repeat(digits.length / 10));
  });

  it('finds each digit that the normal form of a text has', () => {
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
