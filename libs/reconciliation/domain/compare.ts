import type { SettledOperation, SettlementLine } from '@app/gateway-adapters/contract';
import { type Instant, formatAmount, isoInstant, present } from '@app/kernel';

/** One request to a gate and its outcome from our log; amounts in minor units as text. */
export interface OwnTransaction {
  /** Null if a follow-up was not sent. */
  readonly key: string | null;
  /** Key of the attempt that a follow-up belongs to; an attempt's own key. */
  readonly original: string;
  /** The follow-up's number; null for an attempt. */
  readonly followUp: number | null;
  readonly operation: SettledOperation;
  readonly gate: string;
  readonly amountMinor: string;
  readonly currency: string;
  readonly status: 'accepted' | 'open' | 'approved' | 'declined' | 'not-asked';
  readonly askedAt: Instant;
  readonly answeredAt: Instant | null;
  /** The gate's time of the outcome. */
  readonly processedAt: Instant | null;
  readonly commissionMinor: string | null;
  readonly gateOrderId: string | null;
  readonly rrn: string | null;
}

export interface OrderName {
  readonly stream: string;
  readonly orderId: string;
  readonly merchant: string;
}

/** One attempt and its follow-ups at one gate. */
export interface OwnGroup {
  readonly order: OrderName;
  /** The attempt comes first, if it was at this gate. */
  readonly transactions: readonly OwnTransaction[];
}

/** A line of a file, or the gate's answer to an inquiry in that form. */
export interface NumberedLine extends SettlementLine {
  /** Counts from 1. */
  readonly line: number;
  /** The earlier file that contains the line; absent for the file that is compared. */
  readonly earlierFile?: string;
}

export const groupsOf = (order: OrderName, asked: readonly OwnTransaction[], gate: string): readonly OwnGroup[] => {
  const [first] = asked;
  // Fast path for nearly every order: one attempt at one gate.
  if (first !== undefined && asked.every((one) => one.gate === gate && one.original === first.original))
    return [{ order, transactions: asked }];
  const groups = new Map<string, OwnTransaction[]>();
  for (const one of asked) {
    if (one.gate !== gate) continue;
    const group = groups.get(one.original);
    if (group === undefined) groups.set(one.original, [one]);
    else group.push(one);
  }
  return [...groups.values()].map((transactions) => ({ order, transactions }));
};

export const COMPARED_FIELDS = ['operation', 'status', 'amount', 'currency', 'commission', 'processed-at', 'gate-order-id'] as const;
export type ComparedField = (typeof COMPARED_FIELDS)[number];

/** Values of our log and of the gate; absent if a side has none. */
export interface FieldDifference {
  readonly field: ComparedField;
  readonly ours?: string;
  readonly theirs?: string;
}

/** `missing-here`: settled by the gate, unknown to us. `missing-there`: approved by us, not mentioned by the gate. `duplicate`: settled twice. */
export const FINDING_KINDS = ['different', 'missing-here', 'missing-there', 'duplicate'] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

export type Finding =
  | { readonly kind: 'matched'; readonly order: OrderName; readonly ours: OwnTransaction; readonly line: NumberedLine }
  | {
      readonly kind: 'different';
      readonly order: OrderName;
      readonly ours: OwnTransaction;
      readonly line: NumberedLine;
      readonly differences: readonly FieldDifference[];
    }
  /** The order is set if we have the attempt, but not this follow-up. */
  | { readonly kind: 'missing-here'; readonly order?: OrderName; readonly line: NumberedLine }
  | { readonly kind: 'missing-there'; readonly order: OrderName; readonly ours: OwnTransaction }
  | {
      readonly kind: 'duplicate';
      readonly order?: OrderName;
      readonly line: NumberedLine;
      readonly first: number;
      readonly earlierFile?: string;
    };

/** A gate's answer to an inquiry. It contains no amount: we asked about a given one. */
export type InquiredRecord =
  | {
      readonly kind: 'approved' | 'declined';
      readonly processedAt: Instant;
      readonly commissionMinor?: bigint;
      readonly gateOrderId?: string;
      readonly rrn?: string;
      readonly reference: string;
    }
  /** The gate knows the transaction and did nothing, or does not know it. */
  | { readonly kind: 'not-asked' | 'not-found' }
  /** The answer decides nothing. */
  | { readonly kind: 'undecided' };

type Compared =
  | { readonly kind: 'matched' }
  | { readonly kind: 'not-told' }
  | { readonly kind: 'missing-there' }
  | { readonly kind: 'different'; readonly line: NumberedLine; readonly differences: readonly FieldDifference[] };

/** Converts the answer to a line of a file, with our amount and operation. */
const lineOf = (ours: OwnTransaction, told: Extract<InquiredRecord, { readonly reference: string }>): NumberedLine => ({
  line: 0,
  original: ours.original,
  ...(ours.key !== null && { key: ours.key }),
  reference: told.reference,
  operation: ours.operation,
  status: told.kind,
  amount: { minor: BigInt(ours.amountMinor), currency: ours.currency as NumberedLine['amount']['currency'] },
  processedAt: told.processedAt,
  ...(told.commissionMinor !== undefined && { commissionMinor: told.commissionMinor }),
  ...(told.gateOrderId !== undefined && { gateOrderId: told.gateOrderId }),
  ...(told.rrn !== undefined && { rrn: told.rrn }),
});

/** Compares our transaction with the gate's answer. An open outcome is skipped: regular inquiries continue. */
export const compareAnswer = (ours: OwnTransaction, told: InquiredRecord): Compared => {
  if (ours.status === 'open' || ours.status === 'accepted' || told.kind === 'undecided') return { kind: 'not-told' };
  if (!('reference' in told)) return ours.status === 'approved' ? { kind: 'missing-there' } : { kind: 'matched' };
  const line = lineOf(ours, told);
  const differences = differencesOf(ours, line);
  return differences.length === 0 ? { kind: 'matched' } : { kind: 'different', line, differences };
};

/** Files give times in seconds, answers in milliseconds. */
const MS_PER_SECOND = 1_000;

type Said = NumberedLine['status'];

const saidOf = ({ status }: OwnTransaction): Said => {
  if (status === 'approved') return 'approved';
  return status === 'declined' || status === 'not-asked' ? 'declined' : 'open';
};

const secondOf = (at: Instant): number => Math.floor(at / MS_PER_SECOND);
const secondText = (at: Instant): string => isoInstant((secondOf(at) * MS_PER_SECOND) as Instant);
const amountText = (minor: bigint | string): string => formatAmount(BigInt(minor));

/**
 * Empty if both sides agree. A field that one side omits is no difference, except a status: our receipt has only the gate's first answer.
 * Values are compared first and formatted only on a difference, since nearly all lines match.
 */
export const differencesOf = (ours: OwnTransaction, line: NumberedLine): readonly FieldDifference[] => {
  const differences: FieldDifference[] = [];
  const differs = (field: ComparedField, mine: string, theirs: string): void => void differences.push({ field, ours: mine, theirs });
  const said = saidOf(ours);
  const { amount, commissionMinor, processedAt, gateOrderId } = line;
  if (ours.operation !== line.operation) differs('operation', ours.operation, line.operation);
  if (said !== line.status) differs('status', said, line.status);
  // A verification has no amount, whatever a file contains.
  if (ours.operation !== 'account-verification') {
    if (ours.amountMinor !== amount.minor.toString()) differs('amount', amountText(ours.amountMinor), amountText(amount.minor));
    if (ours.currency !== amount.currency) differs('currency', ours.currency, amount.currency);
  }
  if (ours.commissionMinor !== null && commissionMinor !== undefined && ours.commissionMinor !== commissionMinor.toString())
    differs('commission', amountText(ours.commissionMinor), amountText(commissionMinor));
  // If the outcomes differ, so do their times.
  if (said === line.status && ours.processedAt !== null && secondOf(ours.processedAt) !== secondOf(processedAt))
    differs('processed-at', secondText(ours.processedAt), secondText(processedAt));
  if (ours.gateOrderId !== null && gateOrderId !== undefined && ours.gateOrderId !== gateOrderId)
    differs('gate-order-id', ours.gateOrderId, gateOrderId);
  return differences;
};

export const isAttempt = ({ operation }: NumberedLine): boolean =>
  operation !== 'capture' && operation !== 'return' && operation !== 'void';

/** From the most to the least reliable match; each transaction is matched once. */
const MATCHES: readonly ((ours: OwnTransaction, line: NumberedLine) => boolean)[] = [
  (ours, line) => line.key !== undefined && ours.key === line.key,
  (ours, line) => line.rrn !== undefined && ours.rrn === line.rrn && ours.operation === line.operation,
  (ours, line) => ours.operation === line.operation && ours.amountMinor === String(line.amount.minor) && saidOf(ours) === line.status,
  (ours, line) => ours.operation === line.operation && ours.amountMinor === String(line.amount.minor),
  (ours, line) => ours.operation === line.operation,
];

/**
 * Pairs follow-ups with lines. A line with one of our keys matches only that request.
 * Without our key, the gate's reference decides, then operation and amount.
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

/** Removes the second line of a transaction (same reference), and a second line of the attempt itself, which is charged once. */
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

export type IsExpected = (ours: OwnTransaction) => boolean;

export const compareGroup = (group: OwnGroup, lines: readonly NumberedLine[], isExpected: IsExpected): readonly Finding[] => {
  const { order, transactions } = group;
  const [only] = transactions;
  const [line] = lines;
  // Fast path: nearly all groups are an attempt and its line.
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

export const missingHere = (lines: readonly NumberedLine[]): readonly Finding[] => {
  const { single, doubles } = withoutDoubles(lines, undefined);
  return [...single.map((line) => ({ kind: 'missing-here' as const, line })), ...doubles];
};

export interface Period {
  readonly from: Instant;
  readonly before: Instant;
}

/**
 * The gate mentions approvals of the period. Transactions younger than its longest flight may not be in its books, and a verification moves no money.
 * @param settledBy younger transactions are not expected yet
 */
export const expectedIn =
  ({ from, before }: Period, settledBy: Instant): IsExpected =>
  ({ status, operation, processedAt, answeredAt, askedAt }) => {
    const at = processedAt ?? answeredAt ?? askedAt;
    return status === 'approved' && operation !== 'account-verification' && at >= from && at < before && askedAt < settledBy;
  };
