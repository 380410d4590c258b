import { sleep, type Monotonic, type Scheduler } from '@app/kernel';
import type { CallLimit } from '../contract';

/** An order is first asked about after this long, or sooner where polls come more often. */
const FIRST_POLL_MS = 1_000;
/** Kept back from the time of a call, so that it ends with what it knows and is not cut off. */
const RESERVE_MS = 500;

export interface PollingPorts {
  readonly monotonic: Monotonic;
  readonly scheduler: Scheduler;
}

/** Asks again and again until there is an answer or the time of the call leaves no room for another question; undefined in that case. */
export const pollUntil = async <Answer>(
  { monotonic, scheduler }: PollingPorts,
  everyMs: number,
  limit: CallLimit,
  begunMs: number,
  ask: () => Promise<Answer | undefined>,
): Promise<Answer | undefined> => {
  for (let waitMs = Math.min(FIRST_POLL_MS, everyMs); ; waitMs = everyMs) {
    if (monotonic.elapsedMs() - begunMs + waitMs > limit.withinMs - RESERVE_MS) return undefined;
    await sleep(scheduler, waitMs);
    if (limit.signal.aborted) return undefined;
    const answer = await ask();
    if (answer !== undefined) return answer;
  }
};
