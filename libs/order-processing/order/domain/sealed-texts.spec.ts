import fc from 'fast-check';
import { codePoint } from '@app/testing/any-text';
import type { Customer, OrderDetails } from './accepted-order';
import { packTexts, unpackTexts } from './sealed-texts';

const text = fc.string({ unit: codePoint }).filter((value) => !value.includes('\u0000'));
const name = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9]{0,20}$/);

describe('the texts of an order that are sealed as one', () => {
  it('come out as they went in, by name', () => {
    const details: OrderDetails = { description: 'a=b&c=\nd', ipAddress: '::1', merchantData: '', comment: '=', purpose: 'żółć 🧾' };
    expect(Object.fromEntries(unpackTexts(packTexts(details)))).toStrictEqual({ ...details });
  });

  it('hold no member that was not given', () => {
    const customer: Customer = { holder: 'A PAYER' };
    expect(packTexts({ ...customer, email: undefined })).toBe('holder=A PAYER');
    expect([...unpackTexts(packTexts({ ...customer, email: undefined }))]).toStrictEqual([['holder', 'A PAYER']]);
  });

  it('may be none', () => {
    expect(packTexts({})).toBe('');
    expect(unpackTexts('').size).toBe(0);
  });

  it('do not grow under packing: 64 KiB of text that JSON would escape stay as long as they are', () => {
    const description = '"\\\n\t'.repeat(16_384);
    expect(packTexts({ description })).toHaveLength('description='.length + description.length);
  });

  it('cannot hold the separator: a member that would forge another is refused, without being told', () => {
    expect(() => packTexts({ holder: 'A PAYER\u0000email=b@example.com' })).toThrow(new Error('holder holds NUL'));
  });

  it('are one to one with what is packed', () => {
    fc.assert(
      fc.property(fc.dictionary(name, text, { noNullPrototype: true }), (texts) => {
        expect(Object.fromEntries(unpackTexts(packTexts(texts)))).toStrictEqual(texts);
      }),
    );
  });
});
