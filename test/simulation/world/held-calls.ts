import { addMs, sleep, type AttemptKey, type Clock, type Instant, type Scheduler } from '@app/kernel';
import type { KeyedChance } from './keyed-chance';
import type { Life } from './life';

export interface HeldCallsSettings {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly chance: KeyedChance;
  /** A request may arrive until this time: within the longest flight, or during the call if only one process calls gates. */
  readonly arrivesMsMax: number;
}

const ANSWERS_MS_MAX = 180_000;
/** Allows for pauses and an unavailable log, unless the process ended. */
const WRITTEN_WITHIN_MS = 240_000;
/** For this time after its answer, the gate does not know the request in an inquiry. Only the receiver of the answer knows it. */
const NOT_TOLD_MS = 300_000;

export class HeldCalls {
  /** The latest time at which the log must contain a late answer to a surviving process. */
  readonly writtenBy = new Map<AttemptKey, Instant>();
  readonly #toldFrom = new Map<AttemptKey, Instant>();

  constructor(private readonly settings: HeldCallsSettings) {}

  /** The request is read at some time, unless its sender ends first, and answered after `withinMs`. */
  async hold<Answer extends { readonly kind: string }>(
    key: AttemptKey,
    withinMs: number,
    life: Life,
    process: () => Answer,
  ): Promise<Answer> {
    const { clock, scheduler, chance, arrivesMsMax } = this.settings;
    const arrivesMs = chance.between(0, arrivesMsMax, 'gate.overdue-arrives-ms', key);
    await sleep(scheduler, arrivesMs);
    if (life.hasEnded) return new Promise<Answer>(() => undefined);
    const answer = process();
    const answersMs = Math.max(withinMs - arrivesMs, 0) + chance.between(1, ANSWERS_MS_MAX, 'gate.overdue-answers-ms', key);
    this.#toldFrom.set(key, addMs(clock.now(), answersMs + NOT_TOLD_MS));
    await sleep(scheduler, answersMs);
    scheduler.after(WRITTEN_WITHIN_MS, () => {
      if (!life.hasEnded && (answer.kind === 'approved' || answer.kind === 'declined')) this.writtenBy.set(key, clock.now());
    });
    return answer;
  }

  isTold(key: AttemptKey): boolean {
    return this.settings.clock.now() >= (this.#toldFrom.get(key) ?? 0);
  }
}
