import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { TriedCallback } from '@app/deliveries';
import type { ServedRequest } from '../group-a/group-a.edge';
import type { ServedDeviceRequest } from '../group-b/group-b.edge';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What the gauges ask at every scrape. */
export interface Standing {
  readonly cvvHeld: number;
  readonly workInFlight: number;
  readonly parkedStreams: number;
  readonly projectionBehindMs: number;
  readonly logLinesLost: number;
}

/** Requests of one group. */
class RequestFigures {
  readonly #served: Counter;
  readonly #duration: Histogram;
  /** By operation and outcome, both words of ours: a small table. */
  readonly #labelled = new Map<string, { readonly served: Counter.Internal; readonly duration: Histogram.Internal<string> }>();

  constructor(group: 'a' | 'b', registers: Registry[]) {
    this.#served = new Counter({
      name: `orchestrator_group_${group}_requests_total`,
      help: `Requests of Group ${group.toUpperCase()} by operation and outcome`,
      labelNames: ['operation', 'outcome'],
      registers,
    });
    this.#duration = new Histogram({
      name: `orchestrator_group_${group}_request_seconds`,
      help: 'Time from the first byte read to the answer',
      labelNames: ['operation'],
      buckets: SECONDS,
      registers,
    });
  }

  served({ operation, outcome, durationMs }: Pick<ServedRequest, 'operation' | 'outcome' | 'durationMs'>): void {
    const name = `${operation} ${outcome}`;
    let labelled = this.#labelled.get(name);
    if (labelled === undefined) {
      labelled = { served: this.#served.labels(operation, outcome), duration: this.#duration.labels(operation) };
      this.#labelled.set(name, labelled);
    }
    labelled.served.inc();
    labelled.duration.observe(durationMs / 1_000);
  }
}

/** Figures for Prometheus: labels are names of ours, never a value that a client sent. */
export class ServiceMetrics {
  readonly registry = new Registry();
  readonly #groupA: RequestFigures;
  readonly #groupB: RequestFigures;
  readonly #ambiguousSignatures: Counter;
  readonly #callbacks: Counter;
  readonly #orderErrors: Counter;
  readonly #contradictions: Counter;
  readonly #parked: Counter;

  constructor() {
    const registers = [this.registry];
    this.#groupA = new RequestFigures('a', registers);
    this.#groupB = new RequestFigures('b', registers);
    this.#ambiguousSignatures = new Counter({
      name: 'orchestrator_group_b_ambiguous_signatures_total',
      help: 'Orders taken under a signed text that also splits otherwise within the length rules',
      registers,
    });
    this.#callbacks = new Counter({
      name: 'orchestrator_callback_tries_total',
      help: 'Tries of merchant callbacks by outcome',
      labelNames: ['outcome'],
      registers,
    });
    this.#orderErrors = new Counter({
      name: 'orchestrator_order_errors_total',
      help: 'Failures while an order was worked on; the work is tried again',
      registers,
    });
    this.#contradictions = new Counter({
      name: 'orchestrator_gate_contradictions_total',
      help: 'Words of a gate that contradict what was believed of an order or of what followed it',
      registers,
    });
    this.#parked = new Counter({
      name: 'orchestrator_parked_streams_total',
      help: 'Streams parked because an event could not be applied',
      registers,
    });
  }

  served(request: ServedRequest): void {
    this.#groupA.served(request);
  }

  deviceServed(request: ServedDeviceRequest): void {
    this.#groupB.served(request);
  }

  signatureAmbiguous(): void {
    this.#ambiguousSignatures.inc();
  }

  callbackTried({ outcome, isExhausted }: TriedCallback): void {
    this.#callbacks.inc({ outcome: isExhausted ? 'exhausted' : outcome });
  }

  orderFailed(): void {
    this.#orderErrors.inc();
  }

  gateContradicted(): void {
    this.#contradictions.inc();
  }

  streamParked(): void {
    this.#parked.inc();
  }

  /** @param standing asked at each scrape */
  watch(standing: () => Standing): void {
    const registers = [this.registry];
    const gauge = (name: string, help: string, read: (now: Standing) => number): void => {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read(standing()));
        },
      });
    };
    gauge('orchestrator_cvv_held', 'Orders whose CVV waits in memory for its one use', ({ cvvHeld }) => cvvHeld);
    gauge('orchestrator_work_in_flight', 'Work items being done', ({ workInFlight }) => workInFlight);
    gauge('orchestrator_projection_parked_streams', 'Streams that the read models have parked', ({ parkedStreams }) => parkedStreams);
    gauge(
      'orchestrator_projection_behind_seconds',
      'How long the read models have been behind the log',
      (now) => now.projectionBehindMs / 1_000,
    );
    gauge('orchestrator_log_lines_lost', 'Log lines that could not be written', ({ logLinesLost }) => logLinesLost);
  }
}
