import { Counter, Histogram, type Registry } from 'prom-client';
import { ANSWER_SECONDS } from '@app/http-server';

/** An answered request; operation and outcome come from fixed lists, never from the request. */
export interface FiguredRequest {
  readonly operation: string;
  readonly outcome: string;
  readonly durationMs: number;
}

export class RequestFigures {
  readonly #served: Counter;
  readonly #duration: Histogram;
  /** The metrics with their labels, by operation and outcome, since looking them up by labels costs more. */
  readonly #labelled = new Map<string, { readonly served: Counter.Internal; readonly duration: Histogram.Internal<string> }>();

  constructor(group: 'a' | 'b', registry: Registry) {
    this.#served = new Counter({
      name: `orchestrator_group_${group}_requests_total`,
      help: `Requests of Group ${group.toUpperCase()} by operation and outcome`,
      labelNames: ['operation', 'outcome'],
      registers: [registry],
    });
    this.#duration = new Histogram({
      name: `orchestrator_group_${group}_request_seconds`,
      help: 'Time from the first byte read to the answer',
      labelNames: ['operation'],
      buckets: ANSWER_SECONDS,
      registers: [registry],
    });
  }

  served({ operation, outcome, durationMs }: FiguredRequest): void {
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
