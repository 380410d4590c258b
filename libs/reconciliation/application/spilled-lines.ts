import type { SettledOperation } from '@app/gateway-adapters/contract';
import type { Currency, Instant } from '@app/kernel';
import type { NumberedLine } from '../domain/transactions';

/** No field of a line has a control character. */
const SEPARATOR = '\t';

/** A line on its way through a temporary file; an absent member is empty. */
export const lineText = (line: NumberedLine): string => {
  const { original, key = '', reference, operation, status, amount, commissionMinor, processedAt, gateOrderId = '', rrn = '' } = line;
  const commission = commissionMinor === undefined ? '' : commissionMinor.toString();
  return [
    original,
    line.line,
    key,
    reference,
    operation,
    status,
    amount.minor.toString(),
    amount.currency,
    commission,
    processedAt,
    gateOrderId,
    rrn,
  ].join(SEPARATOR);
};

export const lineOfText = (text: string): NumberedLine => {
  const [original = '', line, key, reference = '', operation, status, minor = '0', currency, commission, processedAt, gateOrderId, rrn] =
    text.split(SEPARATOR);
  return {
    line: Number(line),
    original,
    reference,
    operation: operation as SettledOperation,
    status: status as NumberedLine['status'],
    amount: { minor: BigInt(minor), currency: currency as Currency },
    processedAt: Number(processedAt) as Instant,
    ...(key !== undefined && key !== '' && { key }),
    ...(commission !== undefined && commission !== '' && { commissionMinor: BigInt(commission) }),
    ...(gateOrderId !== undefined && gateOrderId !== '' && { gateOrderId }),
    ...(rrn !== undefined && rrn !== '' && { rrn }),
  };
};
