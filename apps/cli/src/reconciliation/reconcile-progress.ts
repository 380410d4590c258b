import type { ReconcileProgress } from '@app/reconciliation';
import { ProgressDisplay, progressOnStderr, type ProgressTarget } from '../terminal/progress-display';

const TEXTS: Readonly<Record<ReconcileProgress['stage'], (made: ReconcileProgress) => string>> = {
  reading: ({ lines }) => `reading the file: ${lines} lines`,
  gathering: ({ lines, orders }) => `gathering our side: ${orders} orders, of ${lines} lines`,
  comparing: ({ lines }) => `comparing ${lines} lines`,
};

/** How far a comparison has come. */
export class ReconcileProgressLine {
  readonly #display: ProgressDisplay;

  constructor(private readonly target: ProgressTarget) {
    this.#display = new ProgressDisplay(target);
  }

  static onStderr(): ReconcileProgressLine {
    return new ReconcileProgressLine(progressOnStderr());
  }

  update(made: ReconcileProgress): void {
    this.#display.update(this.target.nowMs(), () => TEXTS[made.stage](made));
  }

  /** Removes the line, so that the next output takes its place. */
  clear(): void {
    this.#display.end();
  }
}
