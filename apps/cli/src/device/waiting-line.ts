import type { Clock, Instant, Scheduled, Scheduler } from '@app/kernel';
import { RedrawnLine } from '../terminal/redrawn-line';

const TICK_MS = 1_000;

/** A line of a terminal that counts the seconds of a wait. */
export class WaitingLine {
  readonly #line: RedrawnLine;
  readonly #time: Clock & Scheduler;
  #tick: Scheduled | undefined;

  constructor(write: (text: string) => void, time: Clock & Scheduler) {
    this.#line = new RedrawnLine(write);
    this.#time = time;
  }

  start(text: string): void {
    this.stop();
    this.#show(text, this.#time.now());
  }

  /** Removes the line, if there is one. */
  stop(): void {
    this.#tick?.cancel();
    this.#tick = undefined;
    this.#line.clear();
  }

  #show(text: string, since: Instant): void {
    const seconds = Math.floor((this.#time.now() - since) / TICK_MS);
    this.#line.show(`${text}, ${seconds} s`);
    this.#tick = this.#time.after(TICK_MS, () => this.#show(text, since));
  }
}
