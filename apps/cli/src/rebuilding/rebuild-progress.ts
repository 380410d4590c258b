import type { RebuildProgress } from '@app/projections';
import { RedrawnLine } from '../terminal/redrawn-line';

const ON_TERMINAL_MS = 200;
const ELSEWHERE_MS = 10_000;
const WHOLE = 100;
const MINUTE_S = 60;
const HOUR_S = 3_600;

/** Both stores' positions begin with a number that grows as the log does; it is only used for the share that people see. */
const PLACE = /^\d+/;
const placeOf = (position: string): number => Number(PLACE.exec(position)?.[0] ?? 0);

const durationText = (seconds: number): string => {
  if (seconds < MINUTE_S) return `${Math.ceil(seconds)} s`;
  if (seconds < HOUR_S) return `${Math.ceil(seconds / MINUTE_S)} min`;
  return `${Math.floor(seconds / HOUR_S)} h ${Math.ceil((seconds % HOUR_S) / MINUTE_S)} min`;
};

/** The share, rate and remaining time of a rebuild: one line that changes on a terminal, a line now and then elsewhere. */
export class RebuildProgressLine {
  readonly #write: (text: string) => void;
  readonly #redrawn: RedrawnLine | undefined;
  readonly #nowMs: () => number;
  readonly #startedMs: number;
  #shownMs: number;

  constructor(settings: { readonly write: (text: string) => void; readonly isTerminal: boolean; readonly nowMs: () => number }) {
    this.#write = settings.write;
    this.#redrawn = settings.isTerminal ? new RedrawnLine(settings.write) : undefined;
    this.#nowMs = settings.nowMs;
    this.#startedMs = settings.nowMs();
    this.#shownMs = this.#startedMs;
  }

  /** Called for every batch, and mostly does no more than read the clock. */
  update({ events, position, head }: RebuildProgress): void {
    const nowMs = this.#nowMs();
    if (nowMs - this.#shownMs < (this.#redrawn !== undefined ? ON_TERMINAL_MS : ELSEWHERE_MS)) return;
    this.#shownMs = nowMs;
    const seconds = Math.max(nowMs - this.#startedMs, 1) / 1_000;
    const share = Math.min(placeOf(position) / Math.max(placeOf(head), 1), 1);
    const left = share > 0 ? `, ${Math.floor(share * WHOLE)} %, about ${durationText((seconds / share) * (1 - share))} left` : '';
    const line = `folding: ${events} events, ${Math.round(events / seconds)} events/s${left}`;
    if (this.#redrawn === undefined) this.#write(`${line}\n`);
    else this.#redrawn.show(line);
  }

  /** Removes the line. */
  end(): void {
    this.#redrawn?.clear();
  }
}
