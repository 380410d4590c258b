import type { Clock, Monotonic, Scheduled, Scheduler } from '@app/kernel';

const CHECK_GAP_MS = 5_000;
/** Time synchronisation corrects a clock slowly and by less than this between two checks. */
const JUMP_MS_MIN = 1_000;

export interface ClockWatchSettings {
  readonly clock: Clock;
  readonly monotonic: Monotonic;
  readonly scheduler: Scheduler;
  /** Called when the wall clock was set, by so many milliseconds; positive is forward. */
  readonly onJump: (byMs: number) => void;
}

/** Compares the wall clock with monotonic time every few seconds, because due times were recorded by a clock that may since have been set. */
export class ClockWatch {
  readonly #settings: ClockWatchSettings;
  #aheadMs: number;
  #timer: Scheduled | undefined;

  constructor(settings: ClockWatchSettings) {
    this.#settings = settings;
    this.#aheadMs = this.#read();
  }

  start(): void {
    this.#timer ??= this.#later();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #read(): number {
    const { clock, monotonic } = this.#settings;
    return clock.now() - monotonic.elapsedMs();
  }

  #later(): Scheduled {
    return this.#settings.scheduler.after(CHECK_GAP_MS, () => {
      this.#timer = this.#later();
      const aheadMs = this.#read();
      const byMs = aheadMs - this.#aheadMs;
      this.#aheadMs = aheadMs;
      if (Math.abs(byMs) >= JUMP_MS_MIN) this.#settings.onJump(Math.round(byMs));
    });
  }
}
