import type { SettledOperation, SettlementDraft } from '@app/gateway-adapters/contract';
import type { Currency, Instant } from '@app/kernel';
import type { NumberedLine } from '../domain/transactions';

/** No field of a line has a control character. */
const SEPARATOR = '\t';

/** A line on its way through a temporary file; an absent member is empty. */
export const lineText = (line: NumberedLine): string => {
  const { original, key = '', reference, operation, status, amount, commissionMinor, processedAt, gateOrderId = '', rrn = '' } = line;
  const commission = commissionMinor === undefined ? '' : commissionMinor.toString();
  const t = SEPARATOR;
  // Joined by hand: a list of the members would cost as much as all else that is done with a line.
  const what = `${original}${t}${line.line}${t}${key}${t}${reference}${t}${operation}${t}${status}`;
  return `${what}${t}${amount.minor}${t}${amount.currency}${t}${commission}${t}${processedAt}${t}${gateOrderId}${t}${rrn}`;
};

/** The attempt's key, by which a line is found again. */
export const originalOfLineText = (text: string): string => text.slice(0, text.indexOf(SEPARATOR));

export const lineOfText = (text: string): NumberedLine => {
  const [original = '', line, key, reference = '', operation, status, minor = '0', currency, commission, processedAt, gateOrderId, rrn] =
    text.split(SEPARATOR);
  const read: SettlementDraft & { line: number } = {
    line: Number(line),
    original,
    reference,
    operation: operation as SettledOperation,
    status: status as NumberedLine['status'],
    amount: { minor: BigInt(minor), currency: currency as Currency },
    processedAt: Number(processedAt) as Instant,
  };
  if (key !== undefined && key !== '') read.key = key;
  if (commission !== undefined && commission !== '') read.commissionMinor = BigInt(commission);
  if (gateOrderId !== undefined && gateOrderId !== '') read.gateOrderId = gateOrderId;
  if (rrn !== undefined && rrn !== '') read.rrn = rrn;
  return read;
};
