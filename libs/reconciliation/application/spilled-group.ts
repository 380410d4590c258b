import type { SettledOperation } from '@app/gateway-adapters/contract';
import type { Instant } from '@app/kernel';
import type { OwnGroup, OwnTransaction } from '../domain/transactions';

/** Nothing that we name has a control character. */
const SEPARATOR = '\t';
const MEMBERS = 14;
const ORDER_MEMBERS = 4;

const told = (value: string | undefined): string | null => (value === undefined || value === '' ? null : value);
const count = (value: string | undefined): number | null => (value === undefined || value === '' ? null : Number(value));
/** A reference that a gate told may have anything, which must not part the line. */
const reference = (value: string | null): string => (value === null ? '' : encodeURIComponent(value));
const referenceOf = (value: string | undefined): string | null =>
  value === undefined || value === '' ? null : value.includes('%') ? decodeURIComponent(value) : value;

/** A group on its way through a temporary file; the attempt's key comes first, by which it is found again. */
export const groupText = ({ order, transactions }: OwnGroup): string => {
  const t = SEPARATOR;
  let line = `${transactions[0]?.original ?? ''}${t}${order.stream}${t}${order.orderId}${t}${order.merchant}`;
  // Joined by hand: a list of the members would cost as much as all else that is done with a group.
  for (const one of transactions) {
    const asked = `${one.key ?? ''}${t}${one.original}${t}${one.followUp ?? ''}${t}${one.operation}${t}${one.gate}${t}${one.amountMinor}`;
    const heard = `${one.currency}${t}${one.status}${t}${one.askedAt}${t}${one.answeredAt ?? ''}${t}${one.processedAt ?? ''}`;
    line += `${t}${asked}${t}${heard}${t}${one.commissionMinor ?? ''}${t}${reference(one.gateOrderId)}${t}${reference(one.rrn)}`;
  }
  return line;
};

export const keyOfGroupText = (line: string): string => line.slice(0, line.indexOf(SEPARATOR));

export const groupOfText = (line: string): OwnGroup => {
  const members = line.split(SEPARATOR);
  const transactions: OwnTransaction[] = [];
  for (let at = ORDER_MEMBERS; at + MEMBERS <= members.length; at += MEMBERS) {
    transactions.push({
      key: told(members[at]),
      original: members[at + 1] ?? '',
      followUp: count(members[at + 2]),
      operation: members[at + 3] as SettledOperation,
      gate: members[at + 4] ?? '',
      amountMinor: members[at + 5] ?? '',
      currency: members[at + 6] ?? '',
      status: members[at + 7] as OwnTransaction['status'],
      askedAt: Number(members[at + 8]) as Instant,
      answeredAt: count(members[at + 9]) as Instant | null,
      processedAt: count(members[at + 10]) as Instant | null,
      commissionMinor: told(members[at + 11]),
      gateOrderId: referenceOf(members[at + 12]),
      rrn: referenceOf(members[at + 13]),
    });
  }
  const [, stream = '', orderId = '', merchant = ''] = members;
  return { order: { stream, orderId, merchant }, transactions };
};
