import { isLuhnValid } from '@app/kernel';
import fc from 'fast-check';
import { timesPerDoubling } from '@app/testing';
import { concealCardNumbers, looksLikeCardNumber, looksLikeCardNumberInReference } from './card-number-guard';

/** Twice for linear growth, four times for quadratic growth. */
const TIMES_MAX = 3;
const LENGTH = 160_000;

const closed = (body: string): string => {
  for (let digit = 0; digit <= 9; digit++) if (isLuhnValid(`${body}${digit}`)) return `${body}${digit}`;
  throw new Error('a check digit exists for every number');
};
const cardNumbers = fc
  .tuple(fc.constantFrom('4', '51', '2221', '2720', '2200', '34', '37', '3528', '36', '50', '6011', '62', '65', '81', '9792'), fc.nat(7))
  .chain(([prefix, more]) =>
    fc.stringMatching(new RegExp(`^\\d{${12 + more - prefix.length - 1}}$`)).map((digits) => closed(prefix + digits)),
  );

describe('looksLikeCardNumber', () => {
  it('finds every card number of 12 to 19 digits, with any separator and anywhere in the text', () => {
    fc.assert(
      fc.property(
        cardNumbers,
        fc.constantFrom('', ' ', '-', '.', ' - '.trim(), '\u00a0', '\u2009'),
        fc.constantFrom('', 'card: ', 'x'),
        (digits, separator, before) => {
          const grouped = digits.replace(/(\d{4})(?=\d)/g, `$1${separator}`);
          expect(looksLikeCardNumber(`${before}${grouped} thanks`)).toBe(true);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it('finds a card number next to other digits, and in full-width digits', () => {
    expect(looksLikeCardNumber('4111 1111 1111 1111 12/29')).toBe(true);
    expect(looksLikeCardNumber('2024-10-11 4111-1111-1111-1111')).toBe(true);
    expect(looksLikeCardNumber('\uff14\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11')).toBe(
      true,
    );
  });

  it.each([
    ['eleven digits', closed('4111111111')],
    ['twenty digits in one run', closed('4111111111111111111')],
    ['a wrong check digit', '4111111111111112'],
    ['a first digit that no issuer has', closed('000000000000000')],
    ['a first and last part of a card', '411111...1111'],
    ['digits separated by letters', '4111x1111x1111x1111'],
    ['no characters', ''],
  ])('returns false for text with %s', (_, text) => expect(looksLikeCardNumber(text)).toBe(false));

  it('looksLikeCardNumberInReference accepts unbroken digits only if the whole text is one reference', () => {
    fc.assert(
      fc.property(
        cardNumbers,
        fc.constantFrom('', 'T', 'PSP-', 'a_b-'),
        fc.constantFrom(' ', '-', '.', ' - '),
        (digits, before, separator) => {
          expect(looksLikeCardNumberInReference(before + digits)).toBe(false);
          const grouped = digits.replace(/(\d{4})(?=\d)/g, `$1${separator}`);
          const texts = [`${before}${grouped}`, `pay ${digits}`, `${digits} `, `1-${digits}`];
          expect(texts.map(looksLikeCardNumberInReference)).toStrictEqual(texts.map(looksLikeCardNumber));
        },
      ),
    );
    expect(looksLikeCardNumberInReference('pay 4111111111111111 now')).toBe(true);
    expect(looksLikeCardNumberInReference('41111111-1111-4111-8111-111111111111')).toBe(false);
    expect(looksLikeCardNumber('4111111111.09')).toBe(true);
    expect(['4111111111.09', '41111111111111.11', '4111111111 09'].map(looksLikeCardNumberInReference)).toStrictEqual([false, true, true]);
  });

  it('takes time linear in the length of the text', () => {
    const digits = (length: number): string => '1 '.repeat(length / 2);
    expect(timesPerDoubling(digits, looksLikeCardNumber, LENGTH, TIMES_MAX)).toBeLessThanOrEqual(TIMES_MAX);
  });
});

describe('concealCardNumbers', () => {
  it('replaces each card number, and keeps the text around it', () => {
    fc.assert(
      fc.property(cardNumbers, fc.constantFrom('', 'card: ', 'x 12 '), (digits, before) => {
        expect(concealCardNumbers(`${before}${digits} thanks`)).toMatch(/\[card number\] thanks$/);
      }),
    );
    expect(concealCardNumbers('two: 4111 1111 1111 1111 and 5555-5555-5555-4444, tel 12')).toBe(
      'two: [card number] and [card number], tel 12',
    );
    expect(concealCardNumbers('wide: 4111 - 1111 -- 1111   /  1111; 2026 - 11 - 27')).toBe('wide: [card number]; 2026 - 11 - 27');
  });

  it('leaves text without a card number unchanged, and never returns text with one', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[\d -]{0,60}$/)), (text) => {
        const shown = concealCardNumbers(text);
        expect(looksLikeCardNumber(shown)).toBe(false);
        if (!shown.includes('[card number]')) expect(shown).toBe(text);
      }),
    );
  });
});
