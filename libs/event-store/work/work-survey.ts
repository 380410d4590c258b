import { addMs, type Clock, type Scheduler } from '@app/kernel';
import { backOffMs } from '../core/back-off';
import type { OpenWork } from './open-work';

const PAGE = 256;
/** Pauses after a page with items made due, and after one without, so that the survey does not delay work that is really due. */
const PAGE_GAP_MS = 1_000;
const IDLE_PAGE_GAP_MS = 100;
/** Items due this soon are left alone; items that another process has claimed are among them. */
const SOON_MS = 15_000;
const BACK_OFF_MIN_MS = 200;
const BACK_OFF_MAX_MS = 60_000;

export interface WorkSurveySettings {
  readonly work: Pick<OpenWork, 'list' | 'postpone'>;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** Called when items were made due. */
  readonly onDue: () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Makes all open work due once, whatever its due time: due times were recorded by the wall clock, and after it was set back they would lie too far in the
 * future. It proceeds page by page, so that it does not delay other work; the reactor finds in the stream whether an item is really due.
 */
export class WorkSurvey {
  readonly #settings: WorkSurveySettings;
  #round = 0;
  #running: Promise<void> = Promise.resolve();
  #goOn: (() => void) | undefined;

  constructor(settings: WorkSurveySettings) {
    this.#settings = settings;
  }

  /** Starts a survey from the first item, also where one is running. */
  begin(): void {
    const round = ++this.#round;
    this.#goOn?.();
    this.#running = this.#running.then(() => this.#survey(() => this.#round === round));
  }

  /** May be called twice. The next start surveys what this one leaves. */
  stop(): void {
    this.#round++;
    this.#goOn?.();
  }

  #rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#settings.scheduler.after(ms, () => this.#goOn?.());
      this.#goOn = () => {
        timer.cancel();
        this.#goOn = undefined;
        resolve();
      };
    });
  }

  async #survey(isCurrent: () => boolean): Promise<void> {
    const { work, clock, onDue, onError } = this.#settings;
    let after = '';
    let failures = 0;
    while (isCurrent()) {
      try {
        const page = await work.list({ limit: PAGE, after });
        const later = page.filter(({ dueAt }) => dueAt > addMs(clock.now(), SOON_MS));
        for (const item of later) if (isCurrent()) await work.postpone(item, clock.now());
        failures = 0;
        if (later.length > 0) onDue();
        after = page.at(-1)?.key ?? after;
        if (page.length < PAGE) return;
        await this.#rest(later.length > 0 ? PAGE_GAP_MS : IDLE_PAGE_GAP_MS);
      } catch (error) {
        if (!isCurrent()) return;
        onError(error);
        await this.#rest(backOffMs(++failures, BACK_OFF_MIN_MS, BACK_OFF_MAX_MS));
      }
    }
  }
}
