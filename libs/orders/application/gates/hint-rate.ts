import type { Monotonic } from '@app/kernel';

const SECOND_MS = 1_000;

/** So many in any second, and as many at once. It holds two numbers, whatever comes. */
export class HintRate {
  #left: number;
  #atMs: number;

  constructor(
    private readonly perSecond: number,
    private readonly monotonic: Monotonic,
  ) {
    this.#left = perSecond;
    this.#atMs = monotonic.elapsedMs();
  }

  /** False where there was one too many. */
  take(): boolean {
    const nowMs = this.monotonic.elapsedMs();
    this.#left = Math.min(this.perSecond, this.#left + ((nowMs - this.#atMs) * this.perSecond) / SECOND_MS);
    this.#atMs = nowMs;
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
