import { tellableInvoiceId } from './invoice-id';

describe('the invoice of a path (safety, T4 and T18)', () => {
  it.each(['1', 'inv/1 é', '💳', '...', 'x'.repeat(128)])('%j can be one', (text) => expect(tellableInvoiceId(text)).toBe(text));

  it.each(['', '.', '..', 'x'.repeat(129), 'a\nb', 'a\u0000', '\u007f', '\u0085', 'a\ud83d', '\udcb3'])('%j cannot', (text) =>
    expect(tellableInvoiceId(text)).toBeUndefined(),
  );
});
