import type { RebuildProgress } from '@app/read-models';
import { ProgressDisplay, type ProgressTarget } from '../terminal/progress-display';

const WHOLE = 100;
const MINUTE_S = 60;
const HOUR_S = 3_600;

/** Positions of every store begin with a number that grows with the log. It is precise enough for the share that is shown. */
const LEADING_NUMBER = /^\d+/;
const offsetOf = (position: string): number => Number(LEADING_NUMBER.exec(position)?.[0] ?? 0);

const durationText = (seconds: number): string => {
  if (seconds < MINUTE_S) return `${Math.ceil(seconds)} s`;
  if (seconds < HOUR_S) return `${Math.ceil(seconds / MINUTE_S)} min`;
  return `${Math.floor(seconds / HOUR_S)} h ${Math.ceil((seconds % HOUR_S) / MINUTE_S)} min`;
};

/** The share, the rate and the remaining time of a rebuild. */
export class RebuildProgressLine {
  readonly #display: ProgressDisplay;
  readonly #nowMs: () => number;
  readonly #startedMs: number;

  constructor(target: ProgressTarget) {
    this.#display = new ProgressDisplay(target);
    this.#nowMs = target.nowMs;
    this.#startedMs = target.nowMs();
  }

  update({ events, position, head }: RebuildProgress): void {
    const nowMs = this.#nowMs();
    this.#display.update(nowMs, () => {
      const seconds = Math.max(nowMs - this.#startedMs, 1) / 1_000;
      const share = Math.min(offsetOf(position) / Math.max(offsetOf(head), 1), 1);
      const left = share > 0 ? `, ${Math.floor(share * WHOLE)} %, about ${durationText((seconds / share) * (1 - share))} left` : '';
      return `folding: ${events} events, ${Math.round(events / seconds)} events/s${left}`;
    });
  }

  /** Removes the line. */
  end(): void {
    this.#display.end();
  }
}
