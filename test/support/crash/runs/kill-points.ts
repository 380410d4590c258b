import type { KillPoint } from '@app/kernel';
import { REBILL, SALE, SALE_3DS, type LoadKind } from '../clients/load';

/** The required outcome of the one order that a process died over. */
type LoneEnd = 'interrupted' | 'as the gate says' | 'either';

export interface KillPointCase {
  readonly point: KillPoint;
  /** The kind of order that the process dies over where it runs alone. */
  readonly lone: LoadKind;
  /** Which passage of the point is that order's first. */
  readonly loneReach: number;
  /** Whether the order is accepted after the kill, before the restart (safety, section 2.2). */
  readonly isAccepted: boolean;
  readonly end: LoneEnd;
  /** Under load, the process dies at one of the first so many passages. */
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

/** Every point of safety, section 2.2, with its requirement for a sale with CVV (or for the order that reaches it). */
export const KILL_POINT_CASES: readonly KillPointCase[] = [
  // Nothing is stored: the repeat makes the order, and the next kill may interrupt it.
  at('P0', false, 'either'),
  at('P1', false, 'either'),
  at('P2', false, 'either'),
  // Accepted and not answered, with the CVV lost with the process: nothing may be charged.
  at('P3', true, 'interrupted'),
  at('P4', true, 'interrupted'),
  // Started, but the gate never received it.
  at('P5', true, 'interrupted'),
  at('P6', true, 'either'),
  at('P6a', true, 'interrupted', { lone: SALE_3DS, reachesMax: 2 }),
  at('P6b', true, 'as the gate says', { lone: SALE_3DS, reachesMax: 2 }),
  at('P7', true, 'as the gate says'),
  at('P8', true, 'as the gate says'),
  // The batch of the acceptance may come before the submit.
  at('P9', true, 'either', { lone: REBILL, reachesMax: 8 }),
  at('P10', true, 'as the gate says', { reachesMax: 6 }),
  at('P11', true, 'as the gate says', { reachesMax: 6 }),
  at('P12', true, 'as the gate says', { reachesMax: 6 }),
];
