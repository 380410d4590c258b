import type { Clock, Monotonic, Scheduler, Scheduled } from '@app/kernel';
import type { OpenWork } from './open-work';
import type { ReactorRunner } from './reactor-runner';
import { WorkSurvey } from './work-survey';

const CHECK_GAP_MS = 5_000;
/** Time synchronisation corrects a clock slowly and by less than this between two checks. */
const JUMP_MS_MIN = 1_000;

interface ClockWatchSettings {
  readonly clock: Clock;
  readonly monotonic: Monotonic;
  readonly scheduler: Scheduler;
  /** Called when the wall clock was set, by so many milliseconds; positive is forward. */
  readonly onJump: (byMs: number) => void;
}

/** Compares the wall clock with monotonic time every few seconds, because due times were recorded by a clock that may since have been set. */
export class ClockWatch {
  readonly #settings: ClockWatchSettings;
  #aheadMs: number;
  #timer: Scheduled | undefined;

  constructor(settings: ClockWatchSettings) {
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

export interface DueTimesSettings {
  readonly reactors: readonly {
    readonly work: Pick<OpenWork, 'list' | 'postpone' | 'onRebuilt'>;
    readonly runner: Pick<ReactorRunner, 'wake' | 'clockWasSet'>;
  }[];
  readonly clock: Clock;
  readonly monotonic: Monotonic;
  readonly scheduler: Scheduler;
  /** Called when the wall clock was set, by so many milliseconds. */
  readonly onJump: (byMs: number) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Makes all open work due once at the start, after the clock was set back, since work would otherwise wait for the old time to come again, and where a
 * rebuild took over, which may have been folded before the clock was set back.
 */
export class DueTimes {
  readonly #surveys: readonly WorkSurvey[];
  readonly #watch: ClockWatch;
  #isRunning = false;

  constructor({ reactors, clock, monotonic, scheduler, onJump, onError }: DueTimesSettings) {
    this.#surveys = reactors.map(({ work, runner }) => {
      const survey = new WorkSurvey({ work, clock, scheduler, onDue: () => runner.wake(), onError });
      work.onRebuilt?.(() => {
        if (this.#isRunning) survey.begin();
      });
      return survey;
    });
    this.#watch = new ClockWatch({
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
    this.#watch.start();
  }

  /** Surveys again, for a memory that was filled only after the start. */
  surveyAll(): void {
    for (const survey of this.#surveys) survey.begin();
  }

  stop(): void {
    this.#isRunning = false;
    this.#watch.stop();
    for (const survey of this.#surveys) survey.stop();
  }
}
