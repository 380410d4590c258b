import type { OrchestratorEnvironment } from '@app/configuration';
import type { MerchantLogin } from '@app/kernel';
import { noRateLimit, type RateLimit, type Admission, SharedRateLimit } from './shared-rate-limit';

/** One above 1,000: times are rounded down, so two readings 1,000 apart may lie within one second. */
export const SECOND_MS = 1_001;

/**
 * Slots of the last second, counted per millisecond so that memory does not depend on the limit. A time before the
 * newest counts as the newest, so no slot is freed early.
 */
export class SlidingSecond {
  readonly #limit: () => number;
  readonly #times: number[] = [];
  readonly #counts: number[] = [];
  #taken = 0;

  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /** @returns undefined if a slot was taken, else the milliseconds until one is free */
  take(nowMs: number): number | undefined {
    const at = Math.max(nowMs, this.#times.at(-1) ?? nowMs);
    this.#free(at);
    if (this.#taken >= this.#limit()) return (this.#times[0] ?? at) + SECOND_MS - at;
    if (this.#times.at(-1) === at) this.#counts[this.#counts.length - 1] = (this.#counts.at(-1) ?? 0) + 1;
    else {
      this.#times.push(at);
      this.#counts.push(1);
    }
    this.#taken += 1;
    return undefined;
  }

  #free(at: number): void {
    let expired = 0;
    while (expired < this.#times.length && (this.#times[expired] ?? at) + SECOND_MS <= at) {
      this.#taken -= this.#counts[expired] ?? 0;
      expired += 1;
    }
    if (expired === 0) return;
    this.#times.splice(0, expired);
    this.#counts.splice(0, expired);
  }
}

/**
 * The limit within one process, enough for the embedded stores. The map is bounded, because merchants come from the
 * configuration.
 */
export class ProcessRateLimit implements RateLimit {
  readonly #limit: () => number;
  readonly #monotonicMs: () => number;
  readonly #seconds = new Map<MerchantLogin, SlidingSecond>();

  /** @param monotonicMs a wall clock that was set back would block a merchant (safety, F28) */
  constructor(requestsPerSecond: () => number, monotonicMs: () => number) {
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

export interface RateLimitOptions {
  /** 0 means no limit. Read at each request. */
  readonly requestsPerSecond: () => number;
  readonly readModel: OrchestratorEnvironment['readModel'];
  readonly monotonicMs: () => number;
  readonly onAway: (error: unknown) => void;
}

const OPEN_AGAIN_MS = 10_000;

/** No limit while it is 0. A shared limit takes its connections once it is needed; until then each process applies the limit by itself. */
class RateLimitInForce implements RateLimit {
  #opened: RateLimit | undefined;
  #opening: Promise<void> = Promise.resolve();
  #openAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly options: RateLimitOptions,
    private readonly ofProcess: RateLimit,
    private readonly openShared: (() => Promise<RateLimit>) | undefined,
  ) {}

  /** @throws DatabaseUnusable */
  async open(): Promise<void> {
    this.#opened = await this.openShared?.();
  }

  admit(merchant: MerchantLogin): Promise<Admission> {
    const { requestsPerSecond, monotonicMs, onAway } = this.options;
    if (requestsPerSecond() === 0) return noRateLimit.admit(merchant);
    if (this.#opened === undefined && this.openShared !== undefined && monotonicMs() >= this.#openAtMs) {
      this.#openAtMs = monotonicMs() + OPEN_AGAIN_MS;
      this.#opening = this.#opening.then(() => this.open()).catch(onAway);
    }
    return (this.#opened ?? this.ofProcess).admit(merchant);
  }

  async close(): Promise<void> {
    this.#openAtMs = Number.POSITIVE_INFINITY;
    await this.#opening;
    await this.#opened?.close();
  }
}

/**
 * Limits over all processes if they share a database, else within this one.
 * @throws DatabaseUnusable if there is a limit at the start
 */
export const openRateLimit = async (options: RateLimitOptions): Promise<RateLimit> => {
  const { requestsPerSecond, readModel, monotonicMs, onAway } = options;
  const ofProcess = new ProcessRateLimit(requestsPerSecond, monotonicMs);
  const shared =
    readModel.kind === 'file'
      ? undefined
      : () => SharedRateLimit.open({ url: readModel.url, requestsPerSecond, fallback: ofProcess, monotonicMs, onAway });
  const limit = new RateLimitInForce(options, ofProcess, shared);
  if (requestsPerSecond() > 0) await limit.open();
  return limit;
};
