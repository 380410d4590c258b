import { resultCode, type GateAlias, type Money, type NonEmpty } from '@app/kernel';
import type { AcceptedOrder } from './accepted-order';
import { isRevoked, type Attempts } from './attempts.state';

/** A step of the routing plan: amounts are the outer loop, gates the inner one (protocol decisions, section 7). */
export interface RouteStep {
  readonly gate: GateAlias;
  readonly amountNumber: number;
}

type Planned = Pick<AcceptedOrder, 'plan' | 'amount'>;

/** The only decline after which another gate may approve. */
const DO_NOT_HONOUR = resultCode('do-not-honour');

export const firstRouteStep = ({ plan }: Planned): RouteStep => ({ gate: plan.gates[0].alias, amountNumber: 1 });

export const amountsOf = ({ plan, amount }: Planned): NonEmpty<Money> => plan.amounts ?? [amount];

export const amountOfRouteStep = (planned: Planned, { amountNumber }: RouteStep): Money => {
  const amount = amountsOf(planned)[amountNumber - 1];
  if (amount === undefined) throw new Error(`the plan has no amount ${amountNumber}`);
  return amount;
};

const gateAfter = ({ plan }: Planned, alias: GateAlias): GateAlias | undefined => {
  const index = plan.gates.findIndex((gate) => gate.alias === alias);
  return index < 0 ? undefined : plan.gates[index + 1]?.alias;
};

export const isLastRouteStep = (planned: Planned, { gate, amountNumber }: RouteStep): boolean =>
  gateAfter(planned, gate) === undefined && amountNumber >= amountsOf(planned).length;

const leadOf = (newest: Attempts): 'next-gate' | 'next-amount' | 'nowhere' => {
  if (newest.status !== 'declined' && newest.status !== 'not-asked') return 'nowhere';
  if (isRevoked(newest)) return 'nowhere';
  if (newest.status === 'not-asked') return newest.cause === 'never-heard-of' ? 'nowhere' : 'next-gate';
  if (newest.by === 'person') return 'nowhere';
  return newest.code === DO_NOT_HONOUR ? 'next-gate' : 'next-amount';
};

/**
 * Undefined if nothing follows.
 * @param declinedAmountNumber an amount that no gate declined is not given up for a lower one
 */
export const nextRouteStep = (
  planned: Planned,
  {
    routeStep,
    newest,
    declinedAmountNumber,
  }: { readonly routeStep: RouteStep; readonly newest: Attempts; readonly declinedAmountNumber: number | undefined },
): RouteStep | undefined => {
  const lead = leadOf(newest);
  if (lead === 'nowhere') return undefined;
  const { amountNumber } = routeStep;
  const gate = lead === 'next-gate' ? gateAfter(planned, routeStep.gate) : undefined;
  if (gate !== undefined) return { gate, amountNumber };
  const isDeclined = declinedAmountNumber === amountNumber;
  return isDeclined && amountNumber < amountsOf(planned).length
    ? { gate: planned.plan.gates[0].alias, amountNumber: amountNumber + 1 }
    : undefined;
};
