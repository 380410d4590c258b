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
const GAP_GROWTH = 1.5;
const GAP_MS_MAX = 100;
/** Of what was waited already: who waits a minute asks every few seconds, and leaves the machine to what is waited for. */
const GAP_SHARE_MAX = 0.05;

/**
 * Asks until the answer is neither `undefined` nor `false`, and gives it; waits a tenth of a second, or a twentieth, longer than it must.
 * @throws Error where the deadline passes first. What `ask` throws is passed on at once.
 */
export const until = async <Found>(
  ask: () => Found | undefined | false | Promise<Found | undefined | false>,
  { what, timeoutMs = TIMEOUT_MS, seen }: Waiting,
): Promise<Found> => {
  const startedAt = performance.now();
  for (let gapMs = GAP_MS_MIN; ; gapMs *= GAP_GROWTH) {
    const found = await ask();
    if (found !== undefined && found !== false) return found;
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > timeoutMs) {
      const last = seen === undefined ? '' : `; seen last: ${JSON.stringify(seen())}`;
      throw new Error(`waited ${timeoutMs} ms in vain for ${what}${last}`);
    }
    gapMs = Math.min(gapMs, Math.max(GAP_MS_MAX, waitedMs * GAP_SHARE_MAX));
    await pause(gapMs);
  }
};
