import { seededRandom, wholeNumber } from '@app/testing';
import type { OrderScenario } from './order-scenario';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
export const CALLS = wholeNumber('LATE_ANSWERS', 200);
/** Around the end of the call's time limit and of the flight time after it. */
const MOMENTS_MS = [30_001, 32_001, 35_001, 37_001, 60_001, HOUR_MS] as const;

export const chance = seededRandom(25);
export const somewhereAfter = (index: number): number =>
  (MOMENTS_MS[index % MOMENTS_MS.length] ?? 0) + Math.floor(chance.fraction() * 5_000);

export const later = <Answer>({ clock }: OrderScenario, ms: number, answer: () => Answer): Promise<Answer> =>
  new Promise((resolve) => void clock.after(ms, () => resolve(answer())));

export const workUntil = async ({ clock }: OrderScenario, untilMs: number, work: () => Promise<number | undefined>): Promise<void> => {
  const end = clock.now() + untilMs;
  let dueAt: number | undefined = clock.now() + SECOND_MS;
  while (dueAt !== undefined && dueAt <= end) {
    await clock.advance(dueAt - clock.now());
    dueAt = await work();
  }
  await clock.advance(end - clock.now());
};
