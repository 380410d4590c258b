import { Counter, Histogram, type Registry } from 'prom-client';
import { ANSWER_SECONDS } from '@app/http/server';

/** An answered request; operation and outcome come from fixed lists, never from the request. */
export interface FiguredRequest {
  readonly operation: string;
  readonly outcome: string;
  readonly durationMs: number;
}

/** Outcomes that alert rules wait for. */
const ALARMING_OUTCOMES = ['internal', 'acceptance-unknown'];

export class RequestFigures {
  readonly #served: Counter;
  readonly #duration: Histogram;
  /** The metrics with their labels, by operation and outcome, since looking them up by labels costs more. */
  readonly #labelled = new Map<string, { readonly served: Counter.Internal; readonly duration: Histogram.Internal<string> }>();

  /** @param operations of the group: Prometheus sees the first increase of a counter only if it was scraped as 0 before */
  constructor(group: 'a' | 'b', operations: readonly string[], registry: Registry) {
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
    for (const operation of operations) for (const outcome of ALARMING_OUTCOMES) this.#served.inc({ operation, outcome }, 0);
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
