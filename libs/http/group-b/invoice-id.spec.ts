import { isInvoiceId } from './invoice-id';

describe('the invoice id of a path (safety, T4 and T18)', () => {
  it.each(['1', 'inv/1 é', '💳', '...', 'x'.repeat(128)])('may be %j', (text) => expect(isInvoiceId(text)).toBe(true));

  it.each(['', '.', '..', 'x'.repeat(129), 'a\nb', 'a\u0000', '\u007f', '\u0085', 'a\ud83d', '\udcb3'])('must not be %j', (text) =>
    expect(isInvoiceId(text)).toBe(false),
  );
});
