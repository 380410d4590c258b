import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { codePoint } from '@app/testing/any-text';
import { escapeHtml } from './page';
import { RECEIPT_POLICY, receiptPage, type Receipt, type ReceiptOperation } from './receipt-page';

const operation = (given: Partial<ReceiptOperation> = {}): ReceiptOperation => ({
  type: 'sale',
  status: 'approved',
  amount: '10.42',
  currency: 'USD',
  date: '2024-01-01 00:00:00 UTC',
  approvalCode: 'A1B2C3',
  ...given,
});
const receipt = (given: Partial<Receipt> = {}): Receipt => ({
  receiptId: 'abcdefghijklmnopqrstuvwx',
  merchantName: 'Acme Shop',
  descriptor: 'ACME*SHOP',
  description: 'Two pairs of shoes',
  clientOrderId: 'inv-1',
  orderId: 'p0sample0order1r',
  operation: operation(),
  card: { type: 'VISA', lastFour: '1111' },
  transactionId: 'PNTEST-1',
  rrn: '123',
  followUps: [],
  ...given,
});
const cells = (page: string): readonly (readonly [string, string])[] =>
  Array.from(page.matchAll(/<th scope="row">(.*?)<\/th><td>(.*?)<\/td>/gs), ([, name = '', value = '']) => [name, value]);

describe('protocol decisions 1 and 2: the receipt', () => {
  it('shows merchant, operation, amount, date, approval code and card', () => {
    expect(cells(receiptPage(receipt()))).toStrictEqual([
      ['Merchant', 'Acme Shop'],
      ['On your statement', 'ACME*SHOP'],
      ['Description', 'Two pairs of shoes'],
      ['Operation', 'sale'],
      ['Status', 'approved'],
      ['Amount', '10.42 USD'],
      ['Date', '2024-01-01 00:00:00 UTC'],
      ['Approval code', 'A1B2C3'],
      ['Card', 'VISA **** 1111'],
      ['Order', 'inv-1'],
      ['Order id', 'p0sample0order1r'],
      ['Transaction', 'PNTEST-1'],
      ['Reference', '123'],
      ['Receipt', 'abcdefghijklmnopqrstuvwx'],
    ]);
  });

  it('shows follow-ups and omits unknown values', () => {
    const followUps = [
      operation({ type: 'capture', amount: '5.00' }),
      operation({ type: 'reversal', status: 'processing', date: undefined, approvalCode: undefined }),
    ];
    const page = receiptPage(receipt({ operation: operation({ approvalCode: '' }), followUps, rrn: undefined }));
    expect(page).toContain('<h2>Later operations</h2>');
    const told = cells(page);
    expect(told.filter(([name]) => name === 'Reference')).toStrictEqual([]);
    expect(told.slice(12)).toStrictEqual([
      ['Operation', 'capture'],
      ['Status', 'approved'],
      ['Amount', '5.00 USD'],
      ['Date', '2024-01-01 00:00:00 UTC'],
      ['Approval code', 'A1B2C3'],
      ['Operation', 'reversal'],
      ['Status', 'processing'],
      ['Amount', '10.42 USD'],
    ]);
    expect(receiptPage(receipt())).not.toContain('<h2>');
  });

  it('escapes any text (safety, T46)', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: codePoint }),
        fc.constantFrom('<script>alert(1)</script>', '"><img src=x>', '</td></table>'),
        (any, attack) => {
          const text = `${any}${attack}`;
          const page = receiptPage(
            receipt({
              descriptor: text,
              description: text,
              merchantName: text,
              clientOrderId: text,
              transactionId: text,
              rrn: text,
              operation: operation({ approvalCode: text }),
              card: { type: text, lastFour: text },
            }),
          );
          expect(page.match(/<(script|img|form|a|iframe)\b/g)).toBeNull();
          expect(page.match(/<table>/g)).toHaveLength(1);
          expect(page).toContain(`<td>${escapeHtml(text)}</td>`);
        },
      ),
    );
  });

  it("shows the merchant's name, and links to the shop if its address is configured [W580]", () => {
    const page = receiptPage(receipt({ siteUrl: 'https://shop.example/?a=1&b=2' }));
    expect(page).toContain('<header><p>Acme Shop</p></header>');
    expect(page).toContain('<a class="go" href="https://shop.example/?a=1&amp;b=2">Back to Acme Shop</a>');
    expect(receiptPage(receipt())).not.toContain('<a ');
  });

  it('permits only its own style [W576]', () => {
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(receiptPage(receipt())) ?? [];
    expect(RECEIPT_POLICY).toBe(
      `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
    );
  });
});
