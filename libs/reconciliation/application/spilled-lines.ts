import type { SettledOperation, SettlementDraft } from '@app/gateway-adapters/contract';
import type { Currency, Instant } from '@app/kernel';
import type { NumberedLine } from '../domain/transactions';
import type { SetAsideLine } from './settlement-lines';

/** No field of a line has a control character. */
const SEPARATOR = '\t';

/** A line on its way through a temporary file; an absent member is empty. */
export const lineText = (line: NumberedLine): string => {
  const { original, key = '', reference, operation, status, amount, commissionMinor, processedAt, gateOrderId = '', rrn = '' } = line;
  const commission = commissionMinor === undefined ? '' : commissionMinor.toString();
  const t = SEPARATOR;
  // Joined by hand: a list of the members would cost as much as all else that is done with a line.
  const what = `${original}${t}${line.line}${t}${key}${t}${reference}${t}${operation}${t}${status}`;
  const earlier = line.earlierFile === undefined ? '' : `${t}${encodeURIComponent(line.earlierFile)}`;
  return `${what}${t}${amount.minor}${t}${amount.currency}${t}${commission}${t}${processedAt}${t}${gateOrderId}${t}${rrn}${earlier}`;
};

/** The attempt's key, by which a line is found again. */
export const originalOfLineText = (text: string): string => text.slice(0, text.indexOf(SEPARATOR));

export const lineOfText = (text: string): NumberedLine => {
  const [original = '', line, key, reference = '', operation, status, minor = '0', currency, commission, ...rest] = text.split(SEPARATOR);
  const [processedAt, gateOrderId, rrn, earlierFile] = rest;
  const read: SettlementDraft & { line: number; earlierFile?: string } = {
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
  if (earlierFile !== undefined) read.earlierFile = decodeURIComponent(earlierFile);
  return read;
};

/** No line's number begins with it. */
const SET_ASIDE = '!';

/** A row that is set aside, on the same way; `original` is empty if the row names no attempt. */
export const setAsideText = ({ original = '', line, column, must, isLaterEvent, earlierFile = '' }: SetAsideLine): string =>
  [original, `${SET_ASIDE}${line}`, column, must, isLaterEvent === true ? '1' : '', encodeURIComponent(earlierFile)].join(SEPARATOR);

/** Undefined for a line that is compared. */
export const setAsideOfText = (text: string): SetAsideLine | undefined => {
  if (!text.startsWith(SET_ASIDE, text.indexOf(SEPARATOR) + 1)) return undefined;
  const [original, line = '', column = '', must = '', isLaterEvent, earlierFile = ''] = text.split(SEPARATOR);
  return {
    line: Number(line.slice(SET_ASIDE.length)),
    column,
    must,
    ...(original !== '' && { original }),
    ...(isLaterEvent === '1' && { isLaterEvent: true }),
    ...(earlierFile !== '' && { earlierFile: decodeURIComponent(earlierFile) }),
  };
};
