import { escapeHtml, inlineSource, PAGE_STYLE } from './page';
import { framedPage, linkHtml } from './payer-page';

export interface ReceiptOperation {
  readonly type: string;
  readonly status: string;
  /** As on the wire: `10.42`. Absent if no money moves. */
  readonly amount?: string | undefined;
  readonly currency: string;
  /** As on the wire. Absent until it is final. */
  readonly date?: string | undefined;
  readonly approvalCode?: string | undefined;
}

/** Visible to everyone with the address: at most the last four digits of the card (safety, T46). */
export interface Receipt {
  readonly receiptId: string;
  readonly merchantName: string;
  readonly descriptor?: string | undefined;
  readonly description?: string | undefined;
  readonly siteUrl?: string | undefined;
  readonly clientOrderId: string;
  readonly orderId: string;
  readonly operation: ReceiptOperation;
  readonly card: { readonly type: string; readonly lastFour: string };
  readonly transactionId?: string | undefined;
  readonly rrn?: string | undefined;
  /** Captures, returns and voids that moved money, or may have; oldest first. */
  readonly followUps: readonly ReceiptOperation[];
}

/** Content-Security-Policy of a receipt: inline style only; no scripts, forms or frames (safety, T21 and T46). */
export const RECEIPT_POLICY = [
  "default-src 'none'",
  `style-src ${inlineSource(PAGE_STYLE)}`,
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

type Row = readonly [name: string, value: string | undefined];

const table = (rows: readonly Row[]): string =>
  `<table>\n${rows
    .flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [`<tr><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>\n`],
    )
    .join('')}</table>\n`;

const operationRows = ({ type, status, amount, currency, date, approvalCode }: ReceiptOperation): readonly Row[] => [
  ['Operation', type],
  ['Status', status],
  ['Amount', amount === undefined ? undefined : `${amount} ${currency}`],
  ['Date', date],
  ['Approval code', approvalCode],
];

/** A printable page (protocol decisions, sections 1 and 2). Serve it with `RECEIPT_POLICY`. */
export const receiptPage = (receipt: Receipt): string => {
  const { receiptId, merchantName, siteUrl, clientOrderId, orderId, operation, card, transactionId, rrn, followUps } = receipt;
  const order = table([
    ['Merchant', merchantName],
    ['On your statement', receipt.descriptor],
    ['Description', receipt.description],
    ...operationRows(operation),
    ['Card', `${card.type} **** ${card.lastFour}`],
    ['Order', clientOrderId],
    ['Order id', orderId],
    ['Transaction', transactionId],
    ['Reference', rrn],
    ['Receipt', receiptId],
  ]);
  const later = followUps.map((followUp) => table(operationRows(followUp))).join('');
  const back = siteUrl === undefined ? '' : linkHtml({ href: siteUrl, text: `Back to ${merchantName}` });
  const main = `${order}${later === '' ? '' : `<h2>Later operations</h2>\n${later}`}${back}`;
  return framedPage({ title: 'Receipt', merchant: merchantName, main });
};
