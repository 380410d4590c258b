import { addMs, sleep, type AttemptKey, type Clock, type Instant, type Scheduler } from '@app/kernel';
import type { KeyedChance } from './keyed-chance';
import type { Life } from './life';

export interface HeldCallsSettings {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly chance: KeyedChance;
  /** How long after its call began a request may still arrive: within the longest flight, or while the call lasts where one process alone calls gates. */
  readonly arrivesMsMax: number;
}

const ANSWERS_MS_MAX = 180_000;
/** What a process heard is in the log by then, unless it ended: it is held up by pauses and by a log that is away. */
const WRITTEN_WITHIN_MS = 240_000;
/** So long after its answer the gate does not know the request where it is asked about it: only who hears the answer can tell. */
const NOT_TOLD_MS = 300_000;

/** Requests whose connection is held far beyond the caller's time limit, and answered at last. */
export class HeldCalls {
  /** By when the log must hold what a gate said late to a process that lived on. */
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

  /** Whether an inquiry about the key is answered with what is known of it. */
  isTold(key: AttemptKey): boolean {
    return this.settings.clock.now() >= (this.#toldFrom.get(key) ?? 0);
  }
}
