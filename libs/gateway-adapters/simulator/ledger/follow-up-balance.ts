import { unreachable } from '@app/kernel';
import type { AskedFollowUp, FollowUpTransaction, CardOperation } from './transaction';

/** A request that a correct client never sends: above the balance, or without a valid original. */
export type FollowUpViolation =
  | 'original-unknown'
  /** The original has another kind or currency, or was voided. */
  | 'follow-up-misplaced'
  | 'captured-twice'
  | 'captured-above-authorised'
  | 'returned-above-taken'
  | 'part-not-served'
  | 'voided-after-clearing';

/** The original transaction in the gate's ledger; times in ms since the epoch. */
export interface Original {
  readonly operation: CardOperation;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly approvedAtMs: number;
}

export interface Moved {
  readonly operation: FollowUpTransaction['operation'];
  readonly amountMinor: bigint;
}

export interface FollowUpClaim {
  readonly asked: AskedFollowUp;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly receivedAtMs: number;
  readonly isPartCaptured: boolean;
  readonly isPartReturned: boolean;
}

export type BalanceVerdict =
  | { readonly kind: 'allowed'; readonly operation: FollowUpTransaction['operation'] }
  /** The void arrived after clearing; its sender could not know. */
  | { readonly kind: 'cleared' }
  | { readonly kind: 'violation'; readonly violation: FollowUpViolation };

const DAY_MS = 86_400_000;
/** A void sent before midnight may arrive up to this much later. */
const CLEARING_GRACE_MS = 60_000;

/** Midnight UTC after the approval (protocol decisions, section 9). */
export const clearedAtMs = (approvedAtMs: number): number => (Math.floor(approvedAtMs / DAY_MS) + 1) * DAY_MS;

const violation = (kind: FollowUpViolation): BalanceVerdict => ({ kind: 'violation', violation: kind });

/** Whether the balance allows a follow-up. An approved original counts even before its client knows the outcome. */
export const balanceVerdict = (claim: FollowUpClaim, original: Original, moved: readonly Moved[]): BalanceVerdict => {
  const { asked, amountMinor, currency, receivedAtMs, isPartCaptured, isPartReturned } = claim;
  const sumOf = (operation: Moved['operation']): bigint =>
    moved.reduce((sum, one) => (one.operation === operation ? sum + one.amountMinor : sum), 0n);
  const has = (operation: Moved['operation']): boolean => moved.some((one) => one.operation === operation);
  const misplaced = violation('follow-up-misplaced');
  // A verification takes no money, and a transfer's money is on another card.
  if (
    original.operation === 'verify' ||
    original.operation === 'transfer' ||
    currency !== original.currency ||
    amountMinor <= 0n ||
    has('void')
  )
    return misplaced;
  switch (asked) {
    case 'capture': {
      if (original.operation !== 'authorise') return misplaced;
      if (has('capture')) return violation('captured-twice');
      const left = original.amountMinor - sumOf('cancel');
      if (amountMinor > left) return violation('captured-above-authorised');
      return amountMinor < left && !isPartCaptured ? violation('part-not-served') : { kind: 'allowed', operation: 'capture' };
    }
    case 'return': {
      const isTaken = original.operation === 'charge' || has('capture');
      const operation = isTaken ? 'reversal' : 'cancel';
      const from = has('capture') ? sumOf('capture') : original.amountMinor;
      const left = from - sumOf(operation);
      if (amountMinor > left) return violation('returned-above-taken');
      return amountMinor < left && !isPartReturned ? violation('part-not-served') : { kind: 'allowed', operation };
    }
    case 'void': {
      if (original.operation !== 'charge' || has('reversal') || amountMinor !== original.amountMinor) return misplaced;
      const late = receivedAtMs - clearedAtMs(original.approvedAtMs);
      if (late < 0) return { kind: 'allowed', operation: 'void' };
      return late < CLEARING_GRACE_MS ? { kind: 'cleared' } : violation('voided-after-clearing');
    }
    default:
      return unreachable(asked);
  }
};
