import { sleep, type Monotonic, type Scheduler } from '@app/kernel';
import type { CallLimit } from '../contract';

const FIRST_POLL_MS = 1_000;
/** Reserved at the end of a call, so that it returns its result before it is aborted. */
const RESERVE_MS = 500;

export interface PollingPorts {
  readonly monotonic: Monotonic;
  readonly scheduler: Scheduler;
}

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
