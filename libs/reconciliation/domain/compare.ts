import { formatAmount, isoInstant, present, type Instant } from '@app/kernel';
import type { ComparedField, FieldDifference, Finding } from './findings';
import type { NumberedLine, OwnGroup, OwnTransaction } from './transactions';

/** Files name times to the second, and answers to the millisecond. */
const MS_PER_SECOND = 1_000;

type Said = NumberedLine['status'];

/** What a status says of the money. */
const saidOf = ({ status }: OwnTransaction): Said => {
  if (status === 'approved') return 'approved';
  return status === 'declined' || status === 'not-asked' ? 'declined' : 'open';
};

const secondOf = (at: Instant): number => Math.floor(at / MS_PER_SECOND);
const secondText = (at: Instant): string => isoInstant((secondOf(at) * MS_PER_SECOND) as Instant);
const amountText = (minor: bigint | string): string => formatAmount(BigInt(minor));

/**
 * Empty where both sides say the same. A field that one side does not name is no difference, but for a status: a receipt of ours has no more than the
 * gate told when it answered. Values are compared first and written only where they differ, since nearly all lines match.
 */
export const differencesOf = (ours: OwnTransaction, line: NumberedLine): readonly FieldDifference[] => {
  const differences: FieldDifference[] = [];
  const differs = (field: ComparedField, mine: string, theirs: string): void => void differences.push({ field, ours: mine, theirs });
  const said = saidOf(ours);
  const { amount, commissionMinor, processedAt, gateOrderId } = line;
  if (ours.operation !== line.operation) differs('operation', ours.operation, line.operation);
  if (said !== line.status) differs('status', said, line.status);
  // A verification takes no sum, whatever a file writes there.
  if (ours.operation !== 'account-verification') {
    if (ours.amountMinor !== amount.minor.toString()) differs('amount', amountText(ours.amountMinor), amountText(amount.minor));
    if (ours.currency !== amount.currency) differs('currency', ours.currency, amount.currency);
  }
  if (ours.commissionMinor !== null && commissionMinor !== undefined && ours.commissionMinor !== commissionMinor.toString())
    differs('commission', amountText(ours.commissionMinor), amountText(commissionMinor));
  // The moment of another outcome is another moment.
  if (said === line.status && ours.processedAt !== null && secondOf(ours.processedAt) !== secondOf(processedAt))
    differs('processed-at', secondText(ours.processedAt), secondText(processedAt));
  if (ours.gateOrderId !== null && gateOrderId !== undefined && ours.gateOrderId !== gateOrderId)
    differs('gate-order-id', ours.gateOrderId, gateOrderId);
  return differences;
};

export const isAttempt = ({ operation }: NumberedLine): boolean =>
  operation !== 'capture' && operation !== 'return' && operation !== 'void';

/** From the surest name to the least sure; each of ours is taken once. */
const MATCHES: readonly ((ours: OwnTransaction, line: NumberedLine) => boolean)[] = [
  (ours, line) => line.key !== undefined && ours.key === line.key,
  (ours, line) => line.rrn !== undefined && ours.rrn === line.rrn && ours.operation === line.operation,
  (ours, line) => ours.operation === line.operation && ours.amountMinor === String(line.amount.minor) && saidOf(ours) === line.status,
  (ours, line) => ours.operation === line.operation && ours.amountMinor === String(line.amount.minor),
  (ours, line) => ours.operation === line.operation,
];

/**
 * Pairs follow-ups with lines. A line that names a key of ours is of that request and of no other; a gate that knows no key of ours is followed by
 * its reference, then by operation and sum.
 */
const paired = (followUps: readonly OwnTransaction[], lines: readonly NumberedLine[]): ReadonlyMap<NumberedLine, OwnTransaction> => {
  const pairs = new Map<NumberedLine, OwnTransaction>();
  const taken = new Set<OwnTransaction>();
  for (const [rank, isMatch] of MATCHES.entries()) {
    for (const line of lines) {
      if (pairs.has(line) || (rank > 0 && line.key !== undefined)) continue;
      const ours = followUps.find((one) => !taken.has(one) && one.status !== 'accepted' && isMatch(one, line));
      if (ours === undefined) continue;
      pairs.set(line, ours);
      taken.add(ours);
    }
  }
  return pairs;
};

const judged = ({ order }: OwnGroup, ours: OwnTransaction, line: NumberedLine): Finding => {
  const differences = differencesOf(ours, line);
  return differences.length === 0 ? { kind: 'matched', order, ours, line } : { kind: 'different', order, ours, line, differences };
};

/** The second line of one transaction, by its reference; and a second line of the attempt itself, which is charged once. */
const withoutDoubles = (
  lines: readonly NumberedLine[],
  order: OwnGroup['order'] | undefined,
): { readonly single: readonly NumberedLine[]; readonly doubles: readonly Finding[] } => {
  const seen = new Map<string, NumberedLine>();
  const single: NumberedLine[] = [];
  const doubles: Finding[] = [];
  for (const line of lines) {
    const name = isAttempt(line) ? '' : `${line.operation} ${line.reference}`;
    const first = seen.get(name);
    if (first === undefined) {
      seen.set(name, line);
      single.push(line);
    } else
      doubles.push({ kind: 'duplicate', ...present({ order }), line, first: first.line, ...present({ earlierFile: first.earlierFile }) });
  }
  return { single, doubles };
};

/** Whether the gate must mention one of ours that no line names. */
export type IsExpected = (ours: OwnTransaction) => boolean;

/** Compares what one attempt and its follow-ups asked with the lines that name the attempt. */
export const compareGroup = (group: OwnGroup, lines: readonly NumberedLine[], isExpected: IsExpected): readonly Finding[] => {
  const { order, transactions } = group;
  const [only] = transactions;
  const [line] = lines;
  // Nearly all groups are an attempt and its line.
  const isPair = transactions.length === 1 && lines.length === 1 && only !== undefined && line !== undefined;
  if (isPair && only.followUp === null && isAttempt(line)) return [judged(group, only, line)];
  const { single, doubles } = withoutDoubles(lines, order);
  const attempt = transactions.find(({ followUp }) => followUp === null);
  const pairs = paired(
    transactions.filter(({ followUp }) => followUp !== null),
    single.filter((line) => !isAttempt(line)),
  );
  const findings: Finding[] = [];
  for (const line of single) {
    const ours = isAttempt(line) ? attempt : pairs.get(line);
    findings.push(ours === undefined ? { kind: 'missing-here', order, line } : judged(group, ours, line));
  }
  const mentioned = new Set<OwnTransaction>([...pairs.values(), ...(attempt !== undefined && single.some(isAttempt) ? [attempt] : [])]);
  for (const ours of transactions) if (!mentioned.has(ours) && isExpected(ours)) findings.push({ kind: 'missing-there', order, ours });
  return [...findings, ...doubles];
};

/** The lines of an attempt that we do not have. */
export const missingHere = (lines: readonly NumberedLine[]): readonly Finding[] => {
  const { single, doubles } = withoutDoubles(lines, undefined);
  return [...single.map((line) => ({ kind: 'missing-here' as const, line })), ...doubles];
};

/** A span of time, `before` excluded. */
export interface Period {
  readonly from: Instant;
  readonly before: Instant;
}

/**
 * The gate mentions what it approved in the period. What is younger than the gate's longest flight may not have reached its books, and a verification
 * moves no money.
 * @param settledBy younger transactions are not expected yet
 */
export const expectedIn =
  ({ from, before }: Period, settledBy: Instant): IsExpected =>
  ({ status, operation, processedAt, answeredAt, askedAt }) => {
    const at = processedAt ?? answeredAt ?? askedAt;
    return status === 'approved' && operation !== 'account-verification' && at >= from && at < before && askedAt < settledBy;
  };
