import { RedrawnLine } from './redrawn-line';

const ON_TERMINAL_MS = 200;
const ELSEWHERE_MS = 10_000;

export interface ProgressTarget {
  readonly write: (text: string) => void;
  readonly isTerminal: boolean;
  /** Milliseconds of a monotonic clock. */
  readonly nowMs: () => number;
}

/** Standard error, so that the results on standard output stay clean. */
export const progressOnStderr = (): ProgressTarget => ({
  write: (text) => void process.stderr.write(text),
  isTerminal: process.stderr.isTTY,
  nowMs: () => performance.now(),
});

/** A progress text: one line that changes on a terminal, a new line now and then elsewhere. */
export class ProgressDisplay {
  readonly #write: (text: string) => void;
  readonly #redrawn: RedrawnLine | undefined;
  #shownMs: number;

  constructor({ write, isTerminal, nowMs }: ProgressTarget) {
    this.#write = write;
    this.#redrawn = isTerminal ? new RedrawnLine(write) : undefined;
    this.#shownMs = nowMs();
  }

  /** The next text is shown after a whole gap. */
  restart(nowMs: number): void {
    this.#shownMs = nowMs;
  }

  /** Called for every event, so `textOf` runs only when a text is due. */
  update(nowMs: number, textOf: () => string): void {
    if (nowMs - this.#shownMs < (this.#redrawn !== undefined ? ON_TERMINAL_MS : ELSEWHERE_MS)) return;
    this.#shownMs = nowMs;
    if (this.#redrawn === undefined) this.#write(`${textOf()}\n`);
    else this.#redrawn.show(textOf());
  }

  /** Removes the line. */
  end(): void {
    this.#redrawn?.clear();
  }
}
