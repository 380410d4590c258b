import type { Instant } from '@app/kernel';
import type { Accounts } from '@app/configuration';
import type { GateCircuits, GateCircuitState } from '@app/orders';

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
}

const textOf = (at: Instant | undefined): string | null => (at === undefined ? null : new Date(at).toISOString());

export class GateStates {
  constructor(
    private readonly accounts: Pick<Accounts, 'gates'>,
    private readonly circuits: Pick<GateCircuits, 'stateOf'>,
  ) {}

  states(): readonly GateState[] {
    return this.accounts.gates.map(({ alias, adapter }) => {
      const { state: circuit, since, calls, failures, nextProbeAt } = this.circuits.stateOf(alias);
      return { alias, adapter, circuit, since: textOf(since), calls, failures, nextProbeAt: textOf(nextProbeAt) };
    });
  }
}
