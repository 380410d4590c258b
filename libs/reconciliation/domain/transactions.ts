import type { SettledOperation, SettlementLine } from '@app/gateway-adapters/contract';
import type { Instant } from '@app/kernel';

/** One request to a gate and its outcome, as our log has it; amounts in minor units as text. */
export interface OwnTransaction {
  /** Null while a follow-up was not sent. */
  readonly key: string | null;
  /** The attempt that a follow-up follows; an attempt's own key. */
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
  /** The gate's own time of the outcome. */
  readonly processedAt: Instant | null;
  readonly commissionMinor: string | null;
  readonly gateOrderId: string | null;
  readonly rrn: string | null;
}

/** The order that something was asked for. */
export interface OrderName {
  readonly stream: string;
  readonly orderId: string;
  readonly merchant: string;
}

/** What one attempt and its follow-ups asked of one gate. */
export interface OwnGroup {
  readonly order: OrderName;
  /** The attempt first, where it was at this gate. */
  readonly transactions: readonly OwnTransaction[];
}

/** A line of a file, or the gate's answer to an inquiry, where there is no line. */
export interface NumberedLine extends SettlementLine {
  /** Counts from 1. */
  readonly line: number;
  /** The earlier file that the line stands in; absent for the file that is compared. */
  readonly earlierFile?: string;
}

/** Splits what was asked for one order by the attempts at this gate. */
export const groupsOf = (order: OrderName, asked: readonly OwnTransaction[], gate: string): readonly OwnGroup[] => {
  const [first] = asked;
  // Nearly every order: one attempt at one gate.
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
