import fc from 'fast-check';
import { codePoint } from '@app/testing/any-text';
import { type Customer, type OrderDetails, packTexts, unpackTexts } from './accepted-order';

const text = fc.string({ unit: codePoint }).filter((value) => !value.includes('\u0000'));
const name = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9]{0,20}$/);

describe('packTexts and unpackTexts', () => {
  it('return every text under its name', () => {
    const details: OrderDetails = { description: 'a=b&c=\nd', ipAddress: '::1', merchantData: '', comment: '=', purpose: 'żółć 🧾' };
    expect(Object.fromEntries(unpackTexts(packTexts(details)))).toStrictEqual({ ...details });
  });

  it('omit absent texts', () => {
    const customer: Customer = { holder: 'A PAYER' };
    expect(packTexts({ ...customer, email: undefined })).toBe('holder=A PAYER');
    expect([...unpackTexts(packTexts({ ...customer, email: undefined }))]).toStrictEqual([['holder', 'A PAYER']]);
  });

  it('accept an empty set', () => {
    expect(packTexts({})).toBe('');
    expect(unpackTexts('').size).toBe(0);
  });

  it('do not escape: 64 KiB of text keep their length', () => {
    const description = '"\\\n\t'.repeat(16_384);
    expect(packTexts({ description })).toHaveLength('description='.length + description.length);
  });

  it('reject a text with the separator without revealing it', () => {
    expect(() => packTexts({ holder: 'A PAYER\u0000email=b@example.com' })).toThrow(new Error('holder holds NUL'));
  });

  it('return any set of texts unchanged', () => {
    fc.assert(
      fc.property(fc.dictionary(name, text, { noNullPrototype: true }), (texts) => {
        expect(Object.fromEntries(unpackTexts(packTexts(texts)))).toStrictEqual(texts);
      }),
    );
  });
});
