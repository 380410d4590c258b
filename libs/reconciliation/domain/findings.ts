import type { NumberedLine, OrderName, OwnTransaction } from './transactions';

export const COMPARED_FIELDS = ['operation', 'status', 'amount', 'currency', 'commission', 'processed-at', 'gate-order-id'] as const;
export type ComparedField = (typeof COMPARED_FIELDS)[number];

/** What stands in our log and what the gate says; absent where one side has nothing. */
export interface FieldDifference {
  readonly field: ComparedField;
  readonly ours?: string;
  readonly theirs?: string;
}

/** `missing-here`: the gate settled what we do not have; `missing-there`: we hold as approved what the gate does not mention; `duplicate`: the gate settled twice. */
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
  /** The order is named where we have the attempt, and not this follow-up of it. */
  | { readonly kind: 'missing-here'; readonly order?: OrderName; readonly line: NumberedLine }
  | { readonly kind: 'missing-there'; readonly order: OrderName; readonly ours: OwnTransaction }
  /** `earlierFile` is absent if the first line stands in the same file. */
  | {
      readonly kind: 'duplicate';
      readonly order?: OrderName;
      readonly line: NumberedLine;
      readonly first: number;
      readonly earlierFile?: string;
    };
