import type { CopyPhase, CopyProgress } from '@app/event-store/copy';
import { RedrawnLine } from '../terminal/redrawn-line';

const WORDS: Readonly<Record<CopyPhase, string>> = { survey: 'comparing', copy: 'copying', verify: 'verifying' };
const ON_TERMINAL_MS = 200;
const ELSEWHERE_MS = 10_000;
const WHOLE = 100;

/** The progress of a copy: one line that changes on a terminal, a line now and then elsewhere. */
export class ProgressLine {
  readonly #write: (text: string) => void;
  readonly #redrawn: RedrawnLine | undefined;
  readonly #nowMs: () => number;
  #phase: CopyPhase | undefined;
  #phaseSinceMs = 0;
  #shownMs = 0;

  constructor(settings: { readonly write: (text: string) => void; readonly isTerminal: boolean; readonly nowMs: () => number }) {
    this.#write = settings.write;
    this.#redrawn = settings.isTerminal ? new RedrawnLine(settings.write) : undefined;
    this.#nowMs = settings.nowMs;
  }

  /** Called for every event, and mostly does no more than read the clock. */
  update({ phase, events, eventsTotal }: CopyProgress): void {
    const nowMs = this.#nowMs();
    if (phase !== this.#phase) {
      this.#phase = phase;
      this.#phaseSinceMs = nowMs;
      this.#shownMs = nowMs;
      return;
    }
    if (nowMs - this.#shownMs < (this.#redrawn !== undefined ? ON_TERMINAL_MS : ELSEWHERE_MS)) return;
    this.#shownMs = nowMs;
    const rate = Math.round((events * 1_000) / Math.max(nowMs - this.#phaseSinceMs, 1));
    const share = eventsTotal === undefined ? '' : ` of ${eventsTotal} (${Math.floor((events * WHOLE) / Math.max(eventsTotal, 1))} %)`;
    const line = `${WORDS[phase]}: ${events}${share} events, ${rate} events/s`;
    if (this.#redrawn === undefined) this.#write(`${line}\n`);
    else this.#redrawn.show(line);
  }

  /** Removes the line. */
  end(): void {
    this.#redrawn?.clear();
  }
}
