import { addMs, type Clock, type Scheduler } from '@app/kernel';
import { backOffMs } from '../back-off';
import type { OpenWork } from './open-work';

const PAGE = 256;
/** Between two pages of which something is to be looked at, and between two of which nothing is: what is really due is not held up by it. */
const PAGE_GAP_MS = 1_000;
const IDLE_PAGE_GAP_MS = 100;
/** What is due so soon is looked at then; what another process has taken is among it. */
const SOON_MS = 15_000;
const BACK_OFF_MIN_MS = 200;
const BACK_OFF_MAX_MS = 60_000;

export interface WorkSurveySettings {
  readonly work: Pick<OpenWork, 'list' | 'postpone'>;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** Something was made due. */
  readonly onDue: () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Has everything that is open looked at once, whatever time stands beside it: due times are written down by the wall clock, and where that was set
 * back they would be waited for as long again. Page by page, so that a great many hold up nobody; who looks finds in the stream what is really due.
 */
export class WorkSurvey {
  readonly #settings: WorkSurveySettings;
  #round = 0;
  #running: Promise<void> = Promise.resolve();
  #goOn: (() => void) | undefined;

  constructor(settings: WorkSurveySettings) {
    this.#settings = settings;
  }

  /** From the start, also where one is under way. */
  begin(): void {
    const round = ++this.#round;
    this.#goOn?.();
    this.#running = this.#running.then(() => this.#survey(() => this.#round === round));
  }

  /** Twice is once. What is left of a survey is done by the next start. */
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

  async #survey(isWanted: () => boolean): Promise<void> {
    const { work, clock, onDue, onError } = this.#settings;
    let after = '';
    let failures = 0;
    while (isWanted()) {
      try {
        const page = await work.list({ limit: PAGE, after });
        const later = page.filter(({ dueAt }) => dueAt > addMs(clock.now(), SOON_MS));
        for (const item of later) if (isWanted()) await work.postpone(item, clock.now());
        failures = 0;
        if (later.length > 0) onDue();
        after = page.at(-1)?.key ?? after;
        if (page.length < PAGE) return;
        await this.#rest(later.length > 0 ? PAGE_GAP_MS : IDLE_PAGE_GAP_MS);
      } catch (error) {
        if (!isWanted()) return;
        onError(error);
        await this.#rest(backOffMs(++failures, BACK_OFF_MIN_MS, BACK_OFF_MAX_MS));
      }
    }
  }
}
