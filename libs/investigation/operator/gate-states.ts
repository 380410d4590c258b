import type { Instant } from '@app/kernel';
import type { Accounts, Operator } from '@app/configuration';
import type { GateCircuits, GateCircuitState, OrderSwitches } from '@app/orders';
import { gatesSeenBy } from './operator-access';

export interface GateState {
  readonly alias: string;
  readonly adapter: string;
  /** open: new orders avoid the gate if there is another; half-open: it receives one order at a time. */
  readonly circuit: GateCircuitState['state'];
  /** Null if the circuit breaker is off. */
  readonly since: string | null;
  /** Calls in the window of a closed circuit, and the failed ones among them. */
  readonly calls: number;
  readonly failures: number;
  /** Null if the circuit is not open. */
  readonly nextProbeAt: string | null;
  /** Since when an operator holds the gate back from new orders; null if none does. */
  readonly heldSince: string | null;
  readonly heldBy: string | null;
}

const textOf = (at: Instant | undefined): string | null => (at === undefined ? null : new Date(at).toISOString());

export class GateStates {
  constructor(
    private readonly accounts: Pick<Accounts, 'gates' | 'merchants'>,
    private readonly circuits: Pick<GateCircuits, 'stateOf'>,
    private readonly switches: Pick<OrderSwitches, 'holds'>,
  ) {}

  /** To a limited operator, only the gates of its merchants' endpoints. */
  states(operator: Pick<Operator, 'merchants'>): readonly GateState[] {
    const holds = this.switches.holds().filter(({ kind }) => kind === 'gate');
    return gatesSeenBy(operator, this.accounts).map(({ alias, adapter }) => {
      const { state: circuit, since, calls, failures, nextProbeAt } = this.circuits.stateOf(alias);
      const hold = holds.find(({ id }) => id === alias);
      return {
        alias,
        adapter,
        circuit,
        since: textOf(since),
        calls,
        failures,
        nextProbeAt: textOf(nextProbeAt),
        heldSince: textOf(hold?.since),
        heldBy: hold?.by ?? null,
      };
    });
  }
}
