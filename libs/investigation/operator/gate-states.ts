import { waitAtMost, type Clock, type Instant, type Scheduler } from '@app/kernel';
import type { Accounts, Operator } from '@app/configuration';
import type { GateCircuits, GateCircuitState, OrderSwitches } from '@app/orders';
import type { GateMinutesQueries } from '@app/read-models';
import { callsByGate, gateCalls, lastHourAt, type GateCalls } from './gate-calls';
import { gatesSeenBy, merchantsListed } from './operator-access';

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

export interface ListedGate extends GateState {
  /** Of all processes, from the log. Null if the read models do not answer. To a limited operator, of its merchants' orders. */
  readonly lastHour: GateCalls | null;
}

export interface ListedGates {
  /** The process whose circuit breakers are shown. */
  readonly process: string;
  readonly since: string;
  readonly until: string;
  readonly gates: readonly ListedGate[];
}

interface GateStatesPorts {
  readonly accounts: Pick<Accounts, 'gates' | 'merchants' | 'logins'>;
  readonly circuits: Pick<GateCircuits, 'stateOf'>;
  readonly switches: Pick<OrderSwitches, 'holds'>;
  readonly readModel: { readonly gateMinutes: Pick<GateMinutesQueries, 'between'> };
  readonly bootId: string;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
}

const ANSWER_MS_MAX = 2_000;

const textOf = (at: Instant | undefined): string | null => (at === undefined ? null : new Date(at).toISOString());

export class GateStates {
  constructor(private readonly ports: GateStatesPorts) {}

  /** To a limited operator, only the gates of its merchants' endpoints. */
  states(operator: Pick<Operator, 'merchants'>): readonly GateState[] {
    const { accounts, circuits, switches } = this.ports;
    const holds = switches.holds().filter(({ kind }) => kind === 'gate');
    return gatesSeenBy(operator, accounts).map(({ alias, adapter }) => {
      const { state: circuit, since, calls, failures, nextProbeAt } = circuits.stateOf(alias);
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
  /** The same gates, with their calls of the last hour. */
  async list(operator: Pick<Operator, 'merchants'>): Promise<ListedGates> {
    const { accounts, readModel, bootId, clock, scheduler } = this.ports;
    const { since, until } = lastHourAt(clock.now());
    const asked = readModel.gateMinutes.between(since, until, merchantsListed(operator, accounts.logins, undefined)).catch(() => null);
    const counted = await waitAtMost(scheduler, ANSWER_MS_MAX, asked, () => null);
    const calls = counted && callsByGate(counted);
    const gates = this.states(operator).map((gate) => ({ ...gate, lastHour: calls && gateCalls(calls.get(gate.alias) ?? []) }));
    return { process: bootId, since: new Date(since).toISOString(), until: new Date(until).toISOString(), gates };
  }
}
