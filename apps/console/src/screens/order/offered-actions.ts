import type { Role, Schemas } from '../../port';
import { moneyActions, statusOf, UNKNOWN } from './order-words';

type ShownOrder = Schemas['ShownOrder'];

export type ActionName = 'capture' | 'dispute' | 'erase' | 'evidence' | 'hold' | 'release-hold' | 'resolve' | 'return' | 'reveal' | 'void';

export interface OfferedAction {
  readonly name: ActionName;
  readonly word: string;
  readonly role: Role;
  /** A button of its own; the others are in the menu. */
  readonly isFirst?: boolean;
}

/** What the state of the order allows. The role is asked for where the buttons are made. */
export const offeredActions = (order: ShownOrder, operation: string | undefined): readonly OfferedAction[] => {
  const movable = moneyActions(order, operation);
  const isHeld = order.erasure?.heldSince !== undefined;
  const isUnknown = statusOf(order) === UNKNOWN || order.followUps.some(({ status }) => status === UNKNOWN);
  const isErased = (order.erasure?.done.length ?? 0) > 0;
  const actions: readonly (OfferedAction | false)[] = [
    isUnknown && { name: 'resolve', word: 'Resolve outcome', role: 'operator', isFirst: true },
    movable.includes('capture') && { name: 'capture', word: 'Capture', role: 'operator', isFirst: true },
    movable.includes('return') && { name: 'return', word: 'Refund', role: 'operator', isFirst: true },
    movable.includes('void') && { name: 'void', word: 'Void', role: 'operator' },
    { name: 'evidence', word: 'Evidence pack', role: 'investigator', isFirst: true },
    !isErased && { name: 'reveal', word: 'Reveal personal data', role: 'investigator' },
    { name: 'dispute', word: 'Record a dispute', role: 'operator' },
    isHeld
      ? { name: 'release-hold', word: 'Release legal hold', role: 'admin' }
      : { name: 'hold', word: 'Place legal hold', role: 'operator' },
    !isHeld && { name: 'erase', word: 'Erase personal data', role: 'admin' },
  ];
  return actions.filter((action) => action !== false);
};
