import type { Clock, MerchantLogin } from '@app/kernel';
import type { Admission, RateLimit } from './rate-limit';
import { SlidingSecond } from './sliding-second';

/** The limit within one process: all there is on the embedded stores. Merchants come from the configuration, so their number is bounded. */
export class ProcessRateLimit implements RateLimit {
  readonly #limit: number;
  readonly #clock: Clock;
  readonly #seconds = new Map<MerchantLogin, SlidingSecond>();

  constructor(requestsPerSecond: number, clock: Clock) {
    this.#limit = requestsPerSecond;
    this.#clock = clock;
  }

  admit(merchant: MerchantLogin): Promise<Admission> {
    let second = this.#seconds.get(merchant);
    if (second === undefined) {
      second = new SlidingSecond(this.#limit);
      this.#seconds.set(merchant, second);
    }
    const retryAfterMs = second.take(this.#clock.now());
    return Promise.resolve(retryAfterMs === undefined ? { kind: 'admitted' } : { kind: 'limited', retryAfterMs });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
