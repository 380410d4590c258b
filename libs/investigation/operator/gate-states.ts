import type { Instant } from '@app/kernel';
import type { Accounts } from '@app/configuration';
import type { GateCircuits, GateCircuitState } from '@app/orders';

/** A configured gate with its circuit, as the process that answers sees it. */
export interface GateState {
  readonly alias: string;
  readonly adapter: string;
  /** open: new orders do without it where another gate remains; half-open: one at a time begins there. */
  readonly circuit: GateCircuitState['state'];
  /** Null where the circuit is off. */
  readonly since: string | null;
  /** Calls in the window of a closed circuit, and how many of them failed. */
  readonly calls: number;
  readonly failures: number;
  /** Null where the circuit is not open. */
  readonly nextProbeAt: string | null;
}

const textOf = (at: Instant | undefined): string | null => (at === undefined ? null : new Date(at).toISOString());

/** The gates of the configuration, in its order, for operators. */
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
