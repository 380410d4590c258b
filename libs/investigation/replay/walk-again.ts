import { amountOfRouteStep, INTERRUPTED, nextRouteStep, NO_GATE, plannedGate, type Plan, type RouteStep } from '@app/orders/domain';
import type { GateAlias, NonEmpty } from '@app/kernel';
import { stepName, type PastEnd, type PastOrder } from './past-order';

/** Why the end of an order under other rules is not known. */
export type NotKnown =
  /** A gate would have been asked that never was, or for another amount: what it would have said nobody knows. */
  | 'gate-never-asked'
  /** A rule goes by what the log has only sealed. */
  | 'text-sealed'
  /** A rule goes by more digits of the card's number than are shown. */
  | 'digits-not-shown'
  /** Whether a limit is reached depends on an earlier order of which it is not known whether it would have passed. */
  | 'count-in-doubt'
  /** The outcome of an attempt is open still. */
  | 'order-open';

export type WouldEnd = PastEnd | { readonly kind: 'cannot-know'; readonly why: NotKnown; readonly gate?: GateAlias };

/** The next-step rule looks at the names of the gates alone. */
const planOver = (plan: Plan, gates: NonEmpty<GateAlias>): Plan => {
  const planned = (alias: GateAlias) =>
    plan.gates.some((gate) => gate.alias === alias) ? plannedGate({ plan }, alias) : { ...plan.gates[0], alias };
  const [first, ...others] = gates;
  return { ...plan, gates: [planned(first), ...others.map(planned)] };
};

/**
 * Takes an order through other gates by the rule that the service goes by, with what each gate said then. A gate is taken to say the same wherever in
 * the cascade it is asked.
 */
export const walkAgain = (order: PastOrder, gates: NonEmpty<GateAlias>): WouldEnd => {
  const { amount } = order;
  const plan = planOver(order.plan, gates);
  const planned = { plan, amount };
  let step: RouteStep | undefined = { gate: gates[0], amountNumber: 1 };
  let decline: { readonly code: number; readonly amountNumber: number } | undefined;
  let failure: number = NO_GATE;
  while (step !== undefined) {
    const outcome = order.outcomes.get(stepName(step));
    if (outcome === undefined) return { kind: 'cannot-know', why: 'gate-never-asked', gate: step.gate };
    switch (outcome.status) {
      case 'approved':
        return { kind: 'approved', amount: amountOfRouteStep(planned, step), gate: step.gate };
      case 'declined':
        decline = { code: outcome.code, amountNumber: step.amountNumber };
        break;
      case 'not-asked':
        failure = outcome.cause === 'never-heard-of' ? INTERRUPTED : NO_GATE;
        break;
      case 'none':
      case 'started':
      case 'unknown':
      case 'payer-needed':
      case 'payer-returned':
        return { kind: 'cannot-know', why: 'order-open', gate: step.gate };
    }
    step = nextRouteStep(planned, { routeStep: step, newest: outcome, declinedAmountNumber: decline?.amountNumber });
  }
  // A decline stands where a later gate could not be asked.
  if (decline !== undefined) return { kind: 'refused', status: 'declined', code: decline.code };
  return { kind: 'refused', status: 'error', code: failure };
};
