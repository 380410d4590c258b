import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { GateCircuitState, NewOrderHold } from '@app/orders';

/** The last bound exceeds the longest timeout of a gate call. */
const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60];

/** A gate without a circuit breaker counts as closed. */
const CIRCUIT_VALUES: Readonly<Record<GateCircuitState['state'], number>> = { off: 0, closed: 0, 'half-open': 1, open: 2 };

/** Labelled by gate alias, because the configuration bounds their number. */
export class GateFigures {
  readonly #ended: Counter;
  readonly #duration: Histogram;
  readonly #inProgress = new Map<string, Map<symbol, number>>();
  readonly #monotonicMs: () => number;

  /** @param monotonicMs unaffected by corrections of the wall clock */
  constructor(registry: Registry, monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
    const registers = [registry];
    this.#ended = new Counter({
      name: 'orchestrator_gate_calls_total',
      help: 'Finished calls to gates, by gate, call and outcome (failed: the adapter threw an error)',
      labelNames: ['gate', 'call', 'outcome'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'orchestrator_gate_call_seconds',
      help: 'Duration of calls to gates, including calls that exceeded their timeout',
      labelNames: ['gate', 'call'],
      buckets: SECONDS,
      registers,
    });
    const gauge = (name: string, help: string, read: (begun: ReadonlyMap<symbol, number>) => number): void => {
      const inProgress = this.#inProgress;
      new Gauge({
        name,
        help,
        labelNames: ['gate'],
        registers,
        collect() {
          for (const [gate, begun] of inProgress) this.set({ gate }, read(begun));
        },
      });
    };
    gauge('orchestrator_gate_calls_under_way', 'Calls that the gate has not answered yet', (begun) => begun.size);
    gauge('orchestrator_gate_oldest_call_seconds', 'Age of the oldest call that the gate has not answered yet', (begun) => {
      const [oldest] = begun.values();
      return oldest === undefined ? 0 : (monotonicMs() - oldest) / 1_000;
    });
  }

  /** @returns a function to be called once, with the outcome */
  began(gate: string, call: string): (outcome: string) => void {
    const at = this.#monotonicMs();
    const key = Symbol(call);
    let begun = this.#inProgress.get(gate);
    if (begun === undefined) this.#inProgress.set(gate, (begun = new Map<symbol, number>()));
    begun.set(key, at);
    return (outcome) => {
      begun.delete(key);
      this.#ended.inc({ gate, call, outcome });
      this.#duration.observe({ gate, call }, (this.#monotonicMs() - at) / 1_000);
    };
  }

  watchCircuits(registry: Registry, states: () => readonly GateCircuitState[]): void {
    new Gauge({
      name: 'orchestrator_gate_circuit',
      help: 'Circuit breaker for new orders in this process: 0 closed, 1 one trial order at a time, 2 open (new orders skip the gate if another is left)',
      labelNames: ['gate'],
      registers: [registry],
      collect() {
        for (const { gate, state } of states()) this.set({ gate }, CIRCUIT_VALUES[state]);
      },
    });
  }

  /** One label set for each hold: holds are few at any time. */
  watchHolds(registry: Registry, holds: () => readonly NewOrderHold[]): void {
    new Gauge({
      name: 'orchestrator_held',
      help: '1 for each gate and entry point that an operator holds back from new orders, as this process has it in force',
      labelNames: ['kind', 'id'],
      registers: [registry],
      collect() {
        this.reset();
        for (const { kind, id } of holds()) this.set({ kind, id }, 1);
      },
    });
  }
}
