import type { Schemas } from '../port';
import type { GateHealth } from './gate-health';

type Gate = Schemas['ListedGate'];

export const CIRCUITS: Readonly<Record<Gate['circuit'], string>> = {
  closed: 'The circuit is closed: new orders use the gate.',
  open: 'The circuit is open after failed calls: new orders avoid the gate if there is another.',
  'half-open': 'The circuit is half open: the gate receives one order at a time, until calls succeed.',
  off: 'The gate has no circuit breaker: failed calls never take it out of routing.',
};

/** Whether new orders go to a gate, which a failing one does not say by itself. */
export const NEW_ORDERS: Readonly<Record<GateHealth['kind'], string>> = {
  failing: 'New orders still go to it.',
  held: 'It is held: new orders avoid it.',
  off: 'New orders use it.',
  open: 'New orders avoid it if there is another gate.',
  probing: 'It receives one order at a time.',
  well: 'New orders use it.',
};

const CONDITIONS: Readonly<Record<Schemas['PassedOver']['failed'][number], string>> = {
  amount: 'the amount is outside its limits',
  bin: 'the BIN is not in its list',
  brand: 'the card brand is not in its list',
  country: 'the country of the card is not in its list',
  currency: 'the currency is not in its list',
  day: 'the weekday is not in its list',
  gates: 'none of its gates can serve the order',
  time: 'the time of day is outside its hours',
};

/** Why a rule was passed over, as the end of a sentence. */
export const passedOverText = (failed: Schemas['PassedOver']['failed']): string => failed.map((one) => CONDITIONS[one]).join(', and ');

type Route = Pick<Schemas['RouteExplanation'], 'choice' | 'commissions' | 'drawnBy' | 'gates' | 'rule'>;

/** Why the gates come in this order. */
export const choiceSentence = ({ rule, choice, drawnBy, gates }: Route): string => {
  if (gates.length === 1) return 'Only one gate is tried.';
  if (rule === 'default' || choice === 'cascade') return 'The gates are tried in the order of their list.';
  if (choice === 'least-commission') return 'The gate with the least commission for this amount is tried first.';
  return drawnBy === 'customer'
    ? 'The shares draw the first gate, and always the same one for this customer.'
    : 'The shares draw the first gate by chance, for each order again. The gates are shown by weight.';
};

/** The share of a gate in whole percent: `70 %`. */
export const sharePercent = (weight: number, shares: readonly { readonly weight: number }[]): number =>
  Math.round(
    (weight * 100) /
      Math.max(
        1,
        shares.reduce((sum, share) => sum + share.weight, 0),
      ),
  );
