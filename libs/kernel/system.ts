import type { Clock, Ids, Instant, Random, Scheduler } from './ports';

/** The world, handed in at the composition root and nowhere else. */
export const systemClock: Clock = { now: () => Date.now() as Instant };

export const systemIds: Ids = { next: () => crypto.randomUUID() };

export const systemRandom: Random = {
  bytes: (size) => crypto.getRandomValues(new Uint8Array(size)),
  fraction: () => Math.random(),
};

/** `setTimeout` fires at once beyond 2^31 ms; longer waits are cut there and the caller looks again. */
const TIMEOUT_MS_MAX = 2_147_483_647;

export const systemScheduler: Scheduler = {
  after: (delayMs, run) => {
    const timer = setTimeout(run, Math.min(Math.max(delayMs, 0), TIMEOUT_MS_MAX));
    return { cancel: () => clearTimeout(timer) };
  },
};
