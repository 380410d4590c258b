import { formatAmount } from '@app/kernel';
import type { FieldDifference, Finding } from '@app/reconciliation';
import { instantText } from '../order/instant-text';
import type { Paint } from '../terminal/paint';
import { printable } from '../terminal/printable';

export type ShownFinding = Exclude<Finding, { readonly kind: 'matched' }>;

const differenceText = ({ field, ours = '-', theirs = '-' }: FieldDifference): string =>
  `${field} ${printable(ours)} here, ${printable(theirs)} there`;

const orderText = (order: { readonly orderId: string; readonly merchant: string } | undefined): string =>
  order === undefined ? 'no order of ours' : `order ${order.orderId} of ${order.merchant}`;

const sumText = (minor: bigint, currency: string): string => `${formatAmount(minor)} ${currency}`;

const doubledText = ({ first, earlierFile }: Extract<ShownFinding, { readonly kind: 'duplicate' }>): string =>
  `as line ${first}${earlierFile === undefined ? '' : ` of ${printable(earlierFile)}`}`;

/** One finding a line: what it is, where it stands, what differs. */
export const renderFinding = (finding: ShownFinding, paint: Paint): string => {
  const kind = paint('bad', finding.kind.padEnd('missing-there'.length));
  if (finding.kind === 'missing-there') {
    const { ours, order } = finding;
    const sum = sumText(BigInt(ours.amountMinor), ours.currency);
    return [kind, orderText(order), `${ours.operation} of ${sum}`, instantText(ours.processedAt ?? ours.askedAt), ours.key ?? ''].join(
      '  ',
    );
  }
  const { line } = finding;
  const said = `${line.operation} of ${sumText(line.amount.minor, line.amount.currency)} ${line.status}`;
  const place = `line ${line.line}`;
  switch (finding.kind) {
    case 'different':
      return [kind, place, orderText(finding.order), finding.ours.operation, finding.differences.map(differenceText).join('; ')].join('  ');
    case 'missing-here':
      return [kind, place, orderText(finding.order), said, printable(line.original)].join('  ');
    case 'duplicate':
      return [kind, place, orderText(finding.order), said, doubledText(finding)].join('  ');
  }
};
