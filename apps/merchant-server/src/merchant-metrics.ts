import { Counter, Histogram, Registry } from 'prom-client';
import { MERCHANT_SERVER_OPERATIONS, type ServedMerchantServerRequest } from '@app/merchant-server';
import { ANSWER_SECONDS } from '@app/http/server';

/** Prometheus metrics. Labels are fixed names, never a value from a client. */
export class MerchantMetrics {
  readonly registry = new Registry();
  readonly #served: Counter;
  readonly #duration: Histogram;

  constructor() {
    const registers = [this.registry];
    this.#served = new Counter({
      name: 'merchant_server_requests_total',
      help: 'Requests of apps and the gateway, by operation and outcome',
      labelNames: ['operation', 'outcome'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'merchant_server_request_seconds',
      help: 'Time from the first byte of a request to the answer',
      labelNames: ['operation'],
      buckets: ANSWER_SECONDS,
      registers,
    });
    // Prometheus sees a counter's first increase only if it was scraped as 0 before.
    for (const operation of MERCHANT_SERVER_OPERATIONS) this.#served.inc({ operation, outcome: 'SERVER_FAILED' }, 0);
  }

  served({ operation, outcome, durationMs }: ServedMerchantServerRequest): void {
    this.#served.inc({ operation, outcome });
    this.#duration.observe({ operation }, durationMs / 1_000);
  }
}
