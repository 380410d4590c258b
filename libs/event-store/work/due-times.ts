import { addMs, type Clock, type Scheduler, type Monotonic, type Scheduled } from '@app/kernel';
import { backOffMs } from '../core/back-off';
import type { OpenWork } from './open-work';
import type { ReactorRunner } from './reactor-runner';

const PAGE = 256;
/** Pauses after a page with changed items and after one without, so that the survey does not delay due work. */
const PAGE_GAP_MS = 1_000;
const IDLE_PAGE_GAP_MS = 100;
/** Items due this soon are skipped. They include items that another process has claimed. */
const SOON_MS = 15_000;
const BACK_OFF_MIN_MS = 200;
const BACK_OFF_MAX_MS = 60_000;

interface WorkSurveySettings {
  readonly work: Pick<OpenWork, 'list' | 'postpone'>;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly onDue: () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Makes all open work due once, because recorded due times lie too far in the future after the wall clock was set back. It proceeds page by
 * page. The reactor checks in the stream whether an item is really due.
 */
export class WorkSurvey {
  readonly #settings: WorkSurveySettings;
  #round = 0;
  #running: Promise<void> = Promise.resolve();
  #goOn: (() => void) | undefined;

  constructor(settings: WorkSurveySettings) {
    this.#settings = settings;
  }

  begin(): void {
    const round = ++this.#round;
    this.#goOn?.();
    this.#running = this.#running.then(() => this.#survey(() => this.#round === round));
  }

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

const CHECK_GAP_MS = 5_000;
/** Time synchronisation corrects a clock by less than this between two checks. */
const JUMP_MS_MIN = 1_000;

interface ClockMonitorSettings {
  readonly clock: Clock;
  readonly monotonic: Monotonic;
  readonly scheduler: Scheduler;
  /** `byMs` is positive if the clock was set forward. */
  readonly onJump: (byMs: number) => void;
}

/** Compares the wall clock with monotonic time every few seconds, because due times depend on the wall clock. */
export class ClockMonitor {
  readonly #settings: ClockMonitorSettings;
  #aheadMs: number;
  #timer: Scheduled | undefined;

  constructor(settings: ClockMonitorSettings) {
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
    return this.#settings.scheduler.after(CHECK_GAP_MS, () => {
      this.#timer = this.#later();
      const aheadMs = this.#read();
      const byMs = aheadMs - this.#aheadMs;
      this.#aheadMs = aheadMs;
      if (Math.abs(byMs) >= JUMP_MS_MIN) this.#settings.onJump(Math.round(byMs));
    });
  }
}

interface DueTimesSettings {
  readonly reactors: readonly {
    readonly work: Pick<OpenWork, 'list' | 'postpone' | 'onRebuilt'>;
    readonly runner: Pick<ReactorRunner, 'wake' | 'clockWasSet'>;
  }[];
  readonly clock: Clock;
  readonly monotonic: Monotonic;
  readonly scheduler: Scheduler;
  readonly onJump: (byMs: number) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Makes all open work due once at startup, after the clock was set back, and after a rebuild, whose projection may be older than the clock
 * change.
 */
export class DueTimes {
  readonly #surveys: readonly WorkSurvey[];
  readonly #clockMonitor: ClockMonitor;
  #isRunning = false;

  constructor({ reactors, clock, monotonic, scheduler, onJump, onError }: DueTimesSettings) {
    this.#surveys = reactors.map(({ work, runner }) => {
      const survey = new WorkSurvey({ work, clock, scheduler, onDue: () => runner.wake(), onError });
      work.onRebuilt?.(() => {
        if (this.#isRunning) survey.begin();
      });
      return survey;
    });
    this.#clockMonitor = new ClockMonitor({
      clock,
      monotonic,
      scheduler,
      onJump: (byMs) => {
        onJump(byMs);
        for (const { runner } of reactors) runner.clockWasSet();
        if (byMs < 0) this.surveyAll();
      },
    });
  }

  start(): void {
    this.#isRunning = true;
    this.surveyAll();
    this.#clockMonitor.start();
  }

  surveyAll(): void {
    for (const survey of this.#surveys) survey.begin();
  }

  stop(): void {
    this.#isRunning = false;
    this.#clockMonitor.stop();
    for (const survey of this.#surveys) survey.stop();
  }
}
