import type { MerchantLogin } from '@app/kernel';
import type { Admission, RateLimit } from './rate-limit';
import { SlidingSecond } from './sliding-second';

/** The limit within one process, which suffices on the embedded stores. Its map is bounded, because merchants come from the configuration. */
export class ProcessRateLimit implements RateLimit {
  readonly #limit: number;
  readonly #monotonicMs: () => number;
  readonly #seconds = new Map<MerchantLogin, SlidingSecond>();

  /** @param monotonicMs milliseconds that never go back; a wall clock that was set back would refuse a merchant for that long (safety, F28) */
  constructor(requestsPerSecond: number, monotonicMs: () => number) {
    this.#limit = requestsPerSecond;
    this.#monotonicMs = monotonicMs;
  }

  admit(merchant: MerchantLogin): Promise<Admission> {
    let second = this.#seconds.get(merchant);
    if (second === undefined) {
      second = new SlidingSecond(this.#limit);
      this.#seconds.set(merchant, second);
    }
    const retryAfterMs = second.take(Math.floor(this.#monotonicMs()));
    return Promise.resolve(retryAfterMs === undefined ? { kind: 'admitted' } : { kind: 'limited', retryAfterMs });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
