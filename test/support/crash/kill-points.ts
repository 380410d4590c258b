import type { KillPoint } from '@app/kernel';
import { REBILL, SALE, SALE_3DS, type LoadKind } from './load';

/** What must have become of the one order that a process died over, at the end. */
export type LoneEnd = 'interrupted' | 'as the gate says' | 'either';

export interface KillPointCase {
  readonly point: KillPoint;
  /** What the process dies over where it has one order alone. */
  readonly lone: LoadKind;
  /** Which reach is that order's first. */
  readonly loneReach: number;
  /** After the kill, before the restart (safety, section 2.2). */
  readonly isAccepted: boolean;
  readonly end: LoneEnd;
  /** Under load, the process dies at one of so many reaches. */
  readonly reachesMax: number;
}

const at = (point: KillPoint, isAccepted: boolean, end: LoneEnd, more: Partial<KillPointCase> = {}): KillPointCase => ({
  point,
  lone: SALE,
  loneReach: 1,
  isAccepted,
  end,
  reachesMax: 10,
  ...more,
});

/** Every point of safety, section 2.2, with what it requires of a sale with CVV (or of the order that reaches it). */
export const KILL_POINT_CASES: readonly KillPointCase[] = [
  // Nothing stands: the repeat makes the order, and the next kill may interrupt it.
  at('P0', false, 'either'),
  at('P1', false, 'either'),
  at('P2', false, 'either'),
  // Accepted and not answered, and the CVV went with the process: nothing may be charged.
  at('P3', true, 'interrupted'),
  at('P4', true, 'interrupted'),
  // Started, and the gate never heard of it.
  at('P5', true, 'interrupted'),
  at('P6', true, 'either'),
  at('P6a', true, 'interrupted', { lone: SALE_3DS, reachesMax: 2 }),
  at('P6b', true, 'as the gate says', { lone: SALE_3DS, reachesMax: 2 }),
  at('P7', true, 'as the gate says'),
  at('P8', true, 'as the gate says'),
  // The start's own batch is the first reach. That of the acceptance may come before the submit.
  at('P9', true, 'either', { lone: REBILL, loneReach: 2, reachesMax: 8 }),
  at('P10', true, 'as the gate says', { reachesMax: 6 }),
  at('P11', true, 'as the gate says', { reachesMax: 6 }),
  at('P12', true, 'as the gate says', { reachesMax: 6 }),
];
