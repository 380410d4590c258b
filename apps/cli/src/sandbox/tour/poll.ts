import { sleep, systemClock, systemScheduler } from '@app/kernel';

const LOOK_AGAIN_MS = 50;

/** Asks until there is an answer; undefined when the time is over. */
export const poll = async <Answer>(timeoutMs: number, ask: () => Promise<Answer | undefined>): Promise<Answer | undefined> => {
  const giveUpAt = systemClock.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined || systemClock.now() >= giveUpAt) return answer;
    await sleep(systemScheduler, LOOK_AGAIN_MS);
  }
};
