import fc from 'fast-check';
import { codePoint } from '@app/testing/any-text';
import { type Customer, type OrderDetails, packTexts, unpackTexts } from './accepted-order';

const text = fc.string({ unit: codePoint }).filter((value) => !value.includes('\u0000'));
const name = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9]{0,20}$/);

describe('texts of an order that are sealed together', () => {
  it('are unpacked by name as they were packed', () => {
    const details: OrderDetails = { description: 'a=b&c=\nd', ipAddress: '::1', merchantData: '', comment: '=', purpose: 'żółć 🧾' };
    expect(Object.fromEntries(unpackTexts(packTexts(details)))).toStrictEqual({ ...details });
  });

  it('have no member that was not given', () => {
    const customer: Customer = { holder: 'A PAYER' };
    expect(packTexts({ ...customer, email: undefined })).toBe('holder=A PAYER');
    expect([...unpackTexts(packTexts({ ...customer, email: undefined }))]).toStrictEqual([['holder', 'A PAYER']]);
  });

  it('may be empty', () => {
    expect(packTexts({})).toBe('');
    expect(unpackTexts('').size).toBe(0);
  });

  it('do not grow when packed: 64 KiB of text that JSON would escape keep their length', () => {
    const description = '"\\\n\t'.repeat(16_384);
    expect(packTexts({ description })).toHaveLength('description='.length + description.length);
  });

  it('are refused where one holds the separator, without revealing the text', () => {
    expect(() => packTexts({ holder: 'A PAYER\u0000email=b@example.com' })).toThrow(new Error('holder holds NUL'));
  });

  it('have exactly one packed form', () => {
    fc.assert(
      fc.property(fc.dictionary(name, text, { noNullPrototype: true }), (texts) => {
        expect(Object.fromEntries(unpackTexts(packTexts(texts)))).toStrictEqual(texts);
      }),
    );
  });
});
