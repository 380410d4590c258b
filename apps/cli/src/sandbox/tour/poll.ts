import { sleep, systemClock, systemScheduler } from '@app/kernel';

const POLL_GAP_MS = 50;

/** Asks until there is an answer; undefined when the time is over. */
export const poll = async <Answer>(timeoutMs: number, ask: () => Promise<Answer | undefined>): Promise<Answer | undefined> => {
  const giveUpAt = systemClock.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined || systemClock.now() >= giveUpAt) return answer;
    await sleep(systemScheduler, POLL_GAP_MS);
  }
};
