import type { KillPoint } from '@app/kernel';
import { REBILL, SALE, SALE_3DS, type LoadKind } from '../clients/load';

type LoneEnd = 'interrupted' | 'as the gate says' | 'either';

export interface KillPointCase {
  readonly point: KillPoint;
  readonly lone: LoadKind;
  readonly loneReach: number;
  /** Whether the order is accepted after the kill, before the restart (safety, section 2.2). */
  readonly isAccepted: boolean;
  readonly end: LoneEnd;
  /** Under load, the process dies at a random passage up to this one. */
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
  // No event is stored. The repeat creates the order, and the next kill may interrupt it.
  at('P0', false, 'either'),
  at('P1', false, 'either'),
  at('P2', false, 'either'),
  // Accepted but not answered, and the CVV is lost with the process: no charge is allowed.
  at('P3', true, 'interrupted'),
  at('P4', true, 'interrupted'),
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
