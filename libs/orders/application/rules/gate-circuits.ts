import { addMs, present, type Clock, type GateAlias, type Instant, type Monotonic } from '@app/kernel';
import { afterCall, circuitAt, closedCircuit, countsOf, probe, type Circuit, type CircuitSettings, type EndedCall } from '../../domain';

/** A gate may answer inquiries or quotes while charges fail. */
const COUNTED: ReadonlySet<string> = new Set(['charge', 'authorise', 'verify', 'transfer', 'capture', 'return', 'void', 'complete']);

/** Any other cause shows that the gate works. */
const FAULTS: ReadonlySet<string> = new Set(['timeout', 'connection-lost', 'unrecognised-answer', 'adapter-failed', 'unavailable']);

const THREW = 'failed';

export interface CircuitGate {
  readonly alias: GateAlias;
  readonly circuit?: CircuitSettings;
}

export interface GateCircuitState {
  readonly gate: GateAlias;
  readonly state: Circuit['state'] | 'off';
  readonly since?: Instant;
  readonly calls: number;
  readonly failures: number;
  readonly nextProbeAt?: Instant;
}

/** With the calls of the window and the last failure's cause. A failed probe is neither. */
export type CircuitChange =
  | { readonly gate: GateAlias; readonly state: 'open'; readonly calls: number; readonly failures: number; readonly cause: string }
  | { readonly gate: GateAlias; readonly state: 'closed' };

export interface GateCircuitsPorts {
  readonly clock: Clock;
  readonly monotonic: Monotonic;
  readonly onTurn?: (turn: CircuitChange) => void;
}

interface CallUnderWay {
  readonly begunAt: number;
  readonly dueAt: number;
}

interface Watched {
  readonly gate: GateAlias;
  readonly settings: CircuitSettings;
  circuit: Circuit;
  /** In order of their start; removed when ended or past their timeout. */
  readonly underWay: Set<CallUnderWay>;
}

const isSame = (one: CircuitSettings, other: CircuitSettings): boolean =>
  (Object.keys(one) as (keyof CircuitSettings)[]).every((name) => one[name] === other[name]);

/** Decides which gates new orders skip for a while, from this process's calls. */
export class GateCircuits {
  readonly #watched = new Map<GateAlias, Watched>();

  constructor(
    private gates: readonly CircuitGate[],
    private readonly ports: GateCircuitsPorts,
  ) {
    this.take(gates);
  }

  /** A circuit whose settings did not change keeps its state. */
  take(gates: readonly CircuitGate[]): void {
    const at = this.ports.monotonic.elapsedMs();
    const before = new Map(this.#watched);
    this.#watched.clear();
    for (const { alias, circuit: settings } of gates) {
      const known = before.get(alias);
      if (settings === undefined) continue;
      if (known !== undefined && isSame(known.settings, settings)) this.#watched.set(alias, known);
      else this.#watched.set(alias, { gate: alias, settings, circuit: closedCircuit(at), underWay: new Set() });
    }
    this.gates = gates;
  }

  /**
   * @param withinMs a call past it has failed, whatever its later answer
   * @returns call once with the outcome
   */
  began(gate: string, call: string, withinMs = Infinity): (outcome: string, cause?: string) => void {
    const watched = COUNTED.has(call) ? this.#watched.get(gate as GateAlias) : undefined;
    if (watched === undefined) return () => undefined;
    const begunAt = this.ports.monotonic.elapsedMs();
    const underWay = { begunAt, dueAt: begunAt + withinMs };
    watched.underWay.add(underWay);
    return (outcome, cause) => {
      if (!watched.underWay.delete(underWay)) return;
      const isFailure = outcome === THREW || (cause !== undefined && FAULTS.has(cause));
      this.#callEnded(watched, { begunAt, endedAt: this.ports.monotonic.elapsedMs(), isFailure }, cause ?? outcome);
    };
  }

  isOpen(gate: GateAlias): boolean {
    return this.#now(gate)?.circuit.state === 'open';
  }

  /** At a half-open circuit the admitted order is the probe. */
  admits(gate: GateAlias): boolean {
    const watched = this.#now(gate);
    if (watched === undefined) return true;
    const { circuit, isAdmitted } = probe(watched.circuit, this.ports.monotonic.elapsedMs());
    watched.circuit = circuit;
    return isAdmitted;
  }

  states(): readonly GateCircuitState[] {
    return this.gates.map(({ alias }) => this.stateOf(alias));
  }

  stateOf(gate: GateAlias): GateCircuitState {
    const watched = this.#now(gate);
    if (watched === undefined) return { gate, state: 'off', calls: 0, failures: 0 };
    const { circuit, settings } = watched;
    const at = this.ports.monotonic.elapsedMs();
    const instantOf = (monotonicMs: number): Instant => addMs(this.ports.clock.now(), Math.round(monotonicMs - at));
    return present({
      gate,
      state: circuit.state,
      since: instantOf(circuit.since),
      ...countsOf(circuit, at, settings),
      nextProbeAt: circuit.state === 'open' ? instantOf(circuit.until) : undefined,
    });
  }

  #callEnded(watched: Watched, call: EndedCall, cause: string): void {
    const { gate, settings, circuit: before } = watched;
    const after = afterCall(before, call, settings);
    watched.circuit = after;
    if (before.state === 'closed' && after.state === 'open') {
      const { calls, failures } = countsOf(before, call.endedAt, settings);
      this.ports.onTurn?.({ gate, state: 'open', calls: calls + 1, failures: failures + 1, cause });
    } else if (before.state !== 'closed' && after.state === 'closed') this.ports.onTurn?.({ gate, state: 'closed' });
  }

  /** A silent gate ends no call, so calls past their timeout are counted on each read. */
  #now(gate: GateAlias): Watched | undefined {
    const watched = this.#watched.get(gate);
    if (watched === undefined) return undefined;
    const at = this.ports.monotonic.elapsedMs();
    for (const call of watched.underWay) {
      // In order of start; a call with less time than earlier ones is counted with them.
      if (call.dueAt > at) break;
      watched.underWay.delete(call);
      this.#callEnded(watched, { begunAt: call.begunAt, endedAt: call.dueAt, isFailure: true }, 'timeout');
    }
    watched.circuit = circuitAt(watched.circuit, at);
    return watched;
  }
}
