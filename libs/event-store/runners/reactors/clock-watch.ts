import type { Clock, Monotonic, Scheduled, Scheduler } from '@app/kernel';

const LOOK_GAP_MS = 5_000;
/** Less is how a clock is kept right: it is led back slowly, and never so far between two looks. */
const JUMP_MS_MIN = 1_000;

export interface ClockWatchSettings {
  readonly clock: Clock;
  readonly monotonic: Monotonic;
  readonly scheduler: Scheduler;
  /** The wall clock was set, by so much: forward where positive. */
  readonly onJump: (byMs: number) => void;
}

/** Holds the wall clock against time that nobody sets, every few seconds: times that were written down by the one clock are then read by another. */
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
    return this.#settings.scheduler.after(LOOK_GAP_MS, () => {
      this.#timer = this.#later();
      const aheadMs = this.#read();
      const byMs = aheadMs - this.#aheadMs;
      this.#aheadMs = aheadMs;
      if (Math.abs(byMs) >= JUMP_MS_MIN) this.#settings.onJump(Math.round(byMs));
    });
  }
}
