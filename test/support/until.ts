import { setTimeout as pause } from 'node:timers/promises';

export interface Waiting {
  /** What is waited for, as it stands in the error. */
  readonly what: string;
  readonly timeoutMs?: number;
  /** Said in the error besides: what was seen last. */
  readonly seen?: () => unknown;
}

const TIMEOUT_MS = 15_000;
const GAP_MS_MIN = 5;
const GAP_MS_MAX = 100;

/**
 * Asks until the answer is neither `undefined` nor `false`, and gives it; never waits longer than it must.
 * @throws Error where the deadline passes first. What `ask` throws is passed on at once.
 */
export const until = async <Found>(
  ask: () => Found | undefined | false | Promise<Found | undefined | false>,
  { what, timeoutMs = TIMEOUT_MS, seen }: Waiting,
): Promise<Found> => {
  const deadline = performance.now() + timeoutMs;
  for (let gapMs = GAP_MS_MIN; ; gapMs = Math.min(gapMs * 1.5, GAP_MS_MAX)) {
    const found = await ask();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) {
      const last = seen === undefined ? '' : `; seen last: ${JSON.stringify(seen())}`;
      throw new Error(`waited ${timeoutMs} ms in vain for ${what}${last}`);
    }
    await pause(gapMs);
  }
};
