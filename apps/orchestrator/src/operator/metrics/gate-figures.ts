import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Up to beyond the time that a gate is given. */
const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60];

/** Calls to gates, by the gate's alias: there are as many as the configuration has. */
export class GateFigures {
  readonly #ended: Counter;
  readonly #duration: Histogram;
  /** When each call that is under way began, by gate; the oldest stands first. */
  readonly #underWay = new Map<string, Map<symbol, number>>();
  readonly #monotonicMs: () => number;

  /** @param monotonicMs the time that no correction of the clock moves */
  constructor(registry: Registry, monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
    const registers = [registry];
    this.#ended = new Counter({
      name: 'orchestrator_gate_calls_total',
      help: 'Calls to gates that have ended, by gate, call and what the gate said; failed: its adapter threw',
      labelNames: ['gate', 'call', 'outcome'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'orchestrator_gate_call_seconds',
      help: 'How long calls to gates took, those too that nobody waited for any more',
      labelNames: ['gate', 'call'],
      buckets: SECONDS,
      registers,
    });
    const gauge = (name: string, help: string, read: (begun: ReadonlyMap<symbol, number>) => number): void => {
      const underWay = this.#underWay;
      new Gauge({
        name,
        help,
        labelNames: ['gate'],
        registers,
        collect() {
          for (const [gate, begun] of underWay) this.set({ gate }, read(begun));
        },
      });
    };
    gauge('orchestrator_gate_calls_under_way', 'Calls that a gate has not answered yet', (begun) => begun.size);
    gauge('orchestrator_gate_oldest_call_seconds', 'Since when the oldest of them waits', (begun) => {
      const [oldest] = begun.values();
      return oldest === undefined ? 0 : (monotonicMs() - oldest) / 1_000;
    });
  }

  /** @returns to be called once, with what came of it */
  began(gate: string, call: string): (outcome: string) => void {
    const at = this.#monotonicMs();
    const key = Symbol(call);
    let begun = this.#underWay.get(gate);
    if (begun === undefined) this.#underWay.set(gate, (begun = new Map<symbol, number>()));
    begun.set(key, at);
    return (outcome) => {
      begun.delete(key);
      this.#ended.inc({ gate, call, outcome });
      this.#duration.observe({ gate, call }, (this.#monotonicMs() - at) / 1_000);
    };
  }
}
