import type { Schemas } from '../port';
import type { Tone } from '../ui/badge';
import type { IconName } from '../ui/icons';

type Gate = Schemas['ListedGate'];
type Calls = Schemas['GateCalls']['calls'];

interface Words {
  readonly tone: Tone;
  readonly word: string;
  readonly icon: IconName;
}

/** Whether new orders reach the gate. A hold is a person's decision, so it comes before the circuit. */
export const gateWords = ({ circuit, heldSince }: Pick<Gate, 'circuit' | 'heldSince'>): Words => {
  if (heldSince !== null) return { tone: 'warn', word: 'Held', icon: 'pause' };
  switch (circuit) {
    case 'open':
      return { tone: 'bad', word: 'Out of routing', icon: 'cross' };
    case 'half-open':
      return { tone: 'warn', word: 'On trial', icon: 'warning' };
    case 'closed':
    case 'off':
      return { tone: 'ok', word: 'In routing', icon: 'check' };
  }
};

export const CIRCUITS: Readonly<Record<Gate['circuit'], string>> = {
  closed: 'The circuit is closed: new orders use the gate.',
  open: 'The circuit is open after failed calls: new orders avoid the gate if there is another.',
  'half-open': 'The circuit is half open: the gate receives one order at a time, until calls succeed.',
  off: 'The gate has no circuit breaker: failed calls never take it out of routing.',
};

export const totalOf = ({ approved, declined, failed, unknown, pending }: Calls): number =>
  approved + declined + failed + unknown + pending;

/** The share of approvals among the calls that a gate answered with a result, in whole percent; undefined without any. */
export const approvalPercent = ({ approved, declined, failed, unknown }: Calls): number | undefined => {
  const ended = approved + declined + failed + unknown;
  return ended === 0 ? undefined : Math.round((approved * 100) / ended);
};

const RANKS: Readonly<Record<Gate['circuit'], number>> = { open: 3, 'half-open': 2, closed: 0, off: 0 };
const urgency = ({ circuit, heldSince, lastHour }: Gate): number =>
  RANKS[circuit] * 1_000_000 +
  (heldSince === null ? 0 : 500_000) +
  (lastHour === null ? 0 : lastHour.calls.unknown + lastHour.calls.failed);

/** The gate to look at first: out of routing, then held, then the one with the most unknown and failed calls. */
export const worstOf = (gates: readonly Gate[]): Gate | undefined => gates.toSorted((a, b) => urgency(b) - urgency(a))[0];

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
