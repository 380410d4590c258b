import type { Instant } from '@app/kernel';
import type { FieldDifference } from './findings';
import { differencesOf } from './compare';
import type { NumberedLine, OwnTransaction } from './transactions';

/** What a gate answers to an inquiry; it names no sum, since it was asked about one of that sum. */
export type ToldByGate =
  | {
      readonly kind: 'approved' | 'declined';
      readonly processedAt: Instant;
      readonly commissionMinor?: bigint;
      readonly gateOrderId?: string;
      readonly rrn?: string;
      readonly reference: string;
    }
  /** The gate knows it and did nothing, or does not know it. */
  | { readonly kind: 'not-asked' | 'not-found' }
  /** Nothing was learnt. */
  | { readonly kind: 'undecided' };

export type Compared =
  | { readonly kind: 'matched' }
  | { readonly kind: 'not-told' }
  | { readonly kind: 'missing-there' }
  | { readonly kind: 'different'; readonly line: NumberedLine; readonly differences: readonly FieldDifference[] };

/** The answer as the line of a file would say it, with our own sum and operation. */
const lineOf = (ours: OwnTransaction, told: Extract<ToldByGate, { readonly reference: string }>): NumberedLine => ({
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

/** Compares one of ours with what its gate says when it is asked; an outcome that is open here is left to the inquiries that go on anyway. */
export const compareAnswer = (ours: OwnTransaction, told: ToldByGate): Compared => {
  if (ours.status === 'open' || ours.status === 'accepted' || told.kind === 'undecided') return { kind: 'not-told' };
  if (!('reference' in told)) return ours.status === 'approved' ? { kind: 'missing-there' } : { kind: 'matched' };
  const line = lineOf(ours, told);
  const differences = differencesOf(ours, line);
  return differences.length === 0 ? { kind: 'matched' } : { kind: 'different', line, differences };
};
