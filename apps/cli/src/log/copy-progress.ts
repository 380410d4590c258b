import type { CopyPhase, CopyProgress } from '@app/event-store/copy';
import { ProgressDisplay, type ProgressTarget } from '../terminal/progress-display';

const WORDS: Readonly<Record<CopyPhase, string>> = { survey: 'comparing', copy: 'copying', verify: 'verifying' };
const WHOLE = 100;

/** The share and the rate of a copy, counted for each phase from its own start. */
export class CopyProgressLine {
  readonly #display: ProgressDisplay;
  readonly #nowMs: () => number;
  #phase: CopyPhase | undefined;
  #phaseSinceMs = 0;

  constructor(target: ProgressTarget) {
    this.#display = new ProgressDisplay(target);
    this.#nowMs = target.nowMs;
  }

  update({ phase, events, eventsTotal }: CopyProgress): void {
    const nowMs = this.#nowMs();
    if (phase !== this.#phase) {
      this.#phase = phase;
      this.#phaseSinceMs = nowMs;
      this.#display.restart(nowMs);
      return;
    }
    this.#display.update(nowMs, () => {
      const rate = Math.round((events * 1_000) / Math.max(nowMs - this.#phaseSinceMs, 1));
      const share = eventsTotal === undefined ? '' : ` of ${eventsTotal} (${Math.floor((events * WHOLE) / Math.max(eventsTotal, 1))} %)`;
      return `${WORDS[phase]}: ${events}${share} events, ${rate} events/s`;
    });
  }

  /** Removes the line. */
  end(): void {
    this.#display.end();
  }
}
