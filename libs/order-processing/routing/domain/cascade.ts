import { resultCode, type GateAlias, type Money, type NonEmpty } from '@app/kernel';
import type { AcceptedOrder } from '../../order/domain/accepted-order';
import { isTakenBack, type Attempts } from '../../attempts/domain/attempts';

/** A place in the plan: amounts are the outer loop, the gates of the cascade the inner one (protocol decisions, section 7). */
export interface Turn {
  readonly gate: GateAlias;
  /** From 1, of the plan's amounts. */
  readonly amountNumber: number;
}

type Planned = Pick<AcceptedOrder, 'plan' | 'amount'>;

/** The one decline after which another gate may do what this one did not. */
export const DO_NOT_HONOUR = resultCode('do-not-honour');

export const firstTurn = ({ plan }: Planned): Turn => ({ gate: plan.gates[0].alias, amountNumber: 1 });

/** What is tried, in order: the amounts listed, else the order's own. */
export const amountsOf = ({ plan, amount }: Planned): NonEmpty<Money> => plan.amounts ?? [amount];

/** @throws Error for an amount that the plan does not have */
export const amountOfTurn = (planned: Planned, { amountNumber }: Turn): Money => {
  const amount = amountsOf(planned)[amountNumber - 1];
  if (amount === undefined) throw new Error(`the plan has no amount ${amountNumber}`);
  return amount;
};

const gateAfter = ({ plan }: Planned, alias: GateAlias): GateAlias | undefined => {
  const index = plan.gates.findIndex((gate) => gate.alias === alias);
  return index < 0 ? undefined : plan.gates[index + 1]?.alias;
};

/** Whether nothing can follow the attempt in this place, whatever it comes to. */
export const isLastTurn = (planned: Planned, { gate, amountNumber }: Turn): boolean =>
  gateAfter(planned, gate) === undefined && amountNumber >= amountsOf(planned).length;

/** Whether what the newest attempt came to leaves its amount to another gate, ends the gates of its amount, or ends the order. */
const leadOf = (newest: Attempts): 'next-gate' | 'next-amount' | 'nowhere' => {
  if (newest.status !== 'declined' && newest.status !== 'not-asked') return 'nowhere';
  if (isTakenBack(newest)) return 'nowhere';
  if (newest.status === 'not-asked') return newest.cause === 'never-heard-of' ? 'nowhere' : 'next-gate';
  if (newest.by === 'person') return 'nowhere';
  return newest.code === DO_NOT_HONOUR ? 'next-gate' : 'next-amount';
};

/**
 * The place after that of the newest attempt; undefined where nothing follows.
 * @param declinedAmountNumber of the newest decline: an amount that no gate declined is not given up for a lesser one
 */
export const turnAfter = (planned: Planned, turn: Turn, newest: Attempts, declinedAmountNumber: number | undefined): Turn | undefined => {
  const lead = leadOf(newest);
  if (lead === 'nowhere') return undefined;
  const { amountNumber } = turn;
  const gate = lead === 'next-gate' ? gateAfter(planned, turn.gate) : undefined;
  if (gate !== undefined) return { gate, amountNumber };
  const isDeclined = declinedAmountNumber === amountNumber;
  return isDeclined && amountNumber < amountsOf(planned).length
    ? { gate: planned.plan.gates[0].alias, amountNumber: amountNumber + 1 }
    : undefined;
};
