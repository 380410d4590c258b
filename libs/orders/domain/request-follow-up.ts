import { addMs, money, unreachable, type Instant, type Money, type Sealed } from '@app/kernel';
import type { FollowedOrder, ApprovedOrder } from './followed-order';
import { type FollowUpAccepted, type FollowUpOperation, mayHaveMoved, type FollowUp, type FollowUps } from './follow-up.events';

/** As the merchant calls it; a return's operation depends on the captured amount. */
export type FollowUpKind = 'capture' | 'return' | 'void';

export interface FollowUpCapabilities {
  readonly canCapture: boolean;
  readonly canReturn: boolean;
  readonly voidableUntil?: Instant;
}

export interface RequestFollowUp {
  readonly type: 'RequestFollowUp';
  readonly data: {
    readonly kind: FollowUpKind;
    /** Absent for the whole remaining amount. */
    readonly amount?: Money;
    readonly comment?: Sealed;
    readonly reason?: Sealed;
    readonly capabilities: FollowUpCapabilities;
    readonly now: Instant;
  };
}

/** Codes 4, 11, 10, 9 and 8 of protocol decisions, section 4. */
export type FollowUpRefusal = {
  readonly reason: 'order-not-final' | 'operation-not-possible' | 'operation-not-supported' | 'amount-out-of-range' | 'currency-not-served';
};

/** Counts follow-ups that moved money or still may. */
export const FOLLOW_UPS_MAX = 250;
/** Limited, because the order's stream and row are read whole. */
export const FOLLOW_UPS_ASKED_MAX = 1_000;

const NOT_POSSIBLE: FollowUpRefusal = { reason: 'operation-not-possible' };
const NOT_SUPPORTED: FollowUpRefusal = { reason: 'operation-not-supported' };

interface Room {
  readonly operation: FollowUpOperation;
  readonly leftMinor: bigint;
  /** Counts only what certainly moved; a smaller amount is partial. */
  readonly wholeMinor: bigint;
  readonly isPartServed: boolean;
}

const sumOf = (followUps: FollowUps): bigint => followUps.reduce((sum, { amount }) => sum + amount.minor, 0n);

const roomFor = (operation: FollowUpOperation, fromMinor: bigint, used: FollowUps, isPartServed: boolean): Room => ({
  operation,
  leftMinor: fromMinor - sumOf(used.filter(mayHaveMoved)),
  wholeMinor: fromMinor - sumOf(used.filter(({ status }) => status === 'approved')),
  isPartServed,
});

const captureRoom = (order: ApprovedOrder, followUps: FollowUps, { canCapture }: FollowUpCapabilities): Room | FollowUpRefusal => {
  if (order.kind !== 'preauth') return NOT_POSSIBLE;
  if (followUps.some((followUp) => followUp.operation === 'capture' && mayHaveMoved(followUp))) return NOT_POSSIBLE;
  if (!canCapture) return NOT_SUPPORTED;
  const cancels = followUps.filter(({ operation }) => operation === 'cancel');
  return roomFor('capture', order.amount.minor - order.releasedMinor, cancels, order.gate.partialCapture);
};

const returnRoom = (order: ApprovedOrder, followUps: FollowUps, { canReturn }: FollowUpCapabilities): Room | FollowUpRefusal => {
  const capture = followUps.find((followUp) => followUp.operation === 'capture' && mayHaveMoved(followUp));
  if (capture !== undefined && capture.status !== 'approved') return NOT_POSSIBLE;
  if (!canReturn) return NOT_SUPPORTED;
  const isTaken = order.kind === 'sale' || capture !== undefined;
  const operation = isTaken ? 'reversal' : 'cancel';
  const used = followUps.filter((followUp) => followUp.operation === operation);
  const gone = isTaken ? order.takenBackMinor : order.releasedMinor;
  return roomFor(operation, (capture?.amount ?? order.amount).minor - gone, used, order.gate.partialReversal);
};

const voidRoom = (
  order: ApprovedOrder,
  followUps: FollowUps,
  { voidableUntil }: FollowUpCapabilities,
  now: Instant,
): Room | FollowUpRefusal => {
  if (order.kind !== 'sale') return NOT_POSSIBLE;
  if (followUps.some((followUp) => followUp.operation === 'reversal' && mayHaveMoved(followUp))) return NOT_POSSIBLE;
  if (order.takenBackMinor > 0n) return NOT_POSSIBLE;
  if (voidableUntil === undefined) return NOT_SUPPORTED;
  if (now >= voidableUntil) return NOT_POSSIBLE;
  return roomFor('void', order.amount.minor, [], false);
};

const roomOf = (
  { kind, capabilities, now }: RequestFollowUp['data'],
  order: ApprovedOrder,
  followUps: FollowUps,
): Room | FollowUpRefusal => {
  if (followUps.length >= FOLLOW_UPS_ASKED_MAX || followUps.filter(mayHaveMoved).length >= FOLLOW_UPS_MAX) return NOT_POSSIBLE;
  if (followUps.some((followUp) => followUp.operation === 'void' && mayHaveMoved(followUp))) return NOT_POSSIBLE;
  switch (kind) {
    case 'capture':
      return captureRoom(order, followUps, capabilities);
    case 'return':
      return returnRoom(order, followUps, capabilities);
    case 'void':
      return voidRoom(order, followUps, capabilities, now);
    default:
      return unreachable(kind);
  }
};

export const requestFollowUp = (
  data: RequestFollowUp['data'],
  order: FollowedOrder,
  followUps: FollowUps,
): readonly [FollowUpAccepted] | FollowUpRefusal => {
  if (order.kind === 'not-final') return { reason: 'order-not-final' };
  if (order.kind === 'nothing-moved') return NOT_POSSIBLE;
  const room = roomOf(data, order, followUps);
  if ('reason' in room) return room;
  const amount = data.amount ?? money(room.leftMinor, order.amount.currency);
  if (amount.currency !== order.amount.currency) return { reason: 'currency-not-served' };
  if (amount.minor <= 0n || amount.minor > room.leftMinor) return { reason: 'amount-out-of-range' };
  if (amount.minor < room.wholeMinor && !room.isPartServed) return NOT_SUPPORTED;
  const { attemptKey, gate, isNotified } = order;
  const accepted = {
    number: followUps.length + 1,
    operation: room.operation,
    amount,
    original: attemptKey,
    gate: gate.alias,
    longestFlightMs: gate.longestFlightMs,
    callbacks: isNotified ? (['notify'] as const) : [],
    acceptedAt: data.now,
    ...(data.comment !== undefined && { comment: data.comment }),
    ...(data.reason !== undefined && { reason: data.reason }),
  };
  return [{ type: 'FollowUpAccepted', data: accepted }];
};

const KINDS: Readonly<Record<FollowUpOperation, FollowUpKind>> = { capture: 'capture', reversal: 'return', cancel: 'return', void: 'void' };

/** False if a revoked decline of an earlier follow-up used this one's money (safety, I12). The gate's capabilities are not checked again. */
export const isStillCovered = (
  followUp: FollowUp,
  { order, followUps, now }: { readonly order: FollowedOrder; readonly followUps: FollowUps; readonly now: Instant },
): boolean => {
  const { number, operation, amount } = followUp;
  if (order.kind === 'not-final' || order.kind === 'nothing-moved') return false;
  // A later one that was not sent yet yields to this one.
  const before = followUps.filter((other) => other.number < number || (other.number > number && other.status !== 'accepted'));
  const capabilities = { canCapture: true, canReturn: true, voidableUntil: addMs(now, 1) };
  const room = roomOf({ kind: KINDS[operation], capabilities, now }, order, before);
  return !('reason' in room) && room.operation === operation && amount.minor <= room.leftMinor;
};
