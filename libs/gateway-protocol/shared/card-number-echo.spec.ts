import * as fc from 'fast-check';
import { holdsCardNumber } from './card-number-echo';

const NUMBER = '4444333322221111';
const PERCENT_EVERY_DIGIT = [...NUMBER].map((digit) => `%3${digit}`).join('');

describe('a card number in a text (protocol decisions, section 4; safety, T33)', () => {
  it.each([
    NUMBER,
    `order ${NUMBER}.`,
    '4444 3333 2222 1111',
    '4-4-4-4-3-3-3-3-2-2-2-2-1-1-1-1',
    '４４４４３３３３２２２２１１１１',
    '⁴⁴⁴⁴³³³³²²²²¹¹¹¹',
    PERCENT_EVERY_DIGIT,
    '%34444%2D3333%2D2222%2D1111',
    `ä ${NUMBER}`,
  ])('is detected in %s', (text) => expect(holdsCardNumber(text, NUMBER)).toBe(true));

  it.each(['', '444433332222111', '4444333322221112', '4444a333322221111', 'x'.repeat(500), '4444 3333 2222 1112', '%'])(
    'is not detected in %j',
    (text) => expect(holdsCardNumber(text, NUMBER)).toBe(false),
  );

  it('is detected anywhere, even with separators other than letters and digits between its digits', () => {
    const around = fc.string({ unit: fc.constantFrom('a', ' ', '%', 'ä', '.', '9', '💳'), maxLength: 20 });
    const between = fc.array(fc.constantFrom('', ' ', '-', '.', '%', '💳'), { minLength: 15, maxLength: 15 });
    fc.assert(
      fc.property(around, between, around, (before, gaps, after) => {
        const text = [...NUMBER].map((digit, index) => digit + (gaps[index] ?? '')).join('');
        expect(holdsCardNumber(before + text + after, NUMBER)).toBe(true);
      }),
    );
  });
});
