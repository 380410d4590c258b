import { settle } from './virtual-clock';

export interface EventuallySettings {
  /** Progress of the awaited work: the limit restarts at each change, and the error contains the last value. */
  readonly seen?: () => unknown;
  /** Real milliseconds without progress. */
  readonly limitMs?: number;
}

const LIMIT_MS = 10_000;

const shown = (seen: unknown): string => JSON.stringify(seen, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)) ?? 'nothing'; // prettier-ignore

/**
 * Waits for a condition that real work (a thread, a file, a server) fulfils. Only lack of progress fails, so a busy machine is harmless.
 * @throws Error without progress for `limitMs`; errors of the condition are rethrown at once
 */
export const eventually = async (
  condition: () => boolean | Promise<boolean>,
  { seen, limitMs = LIMIT_MS }: EventuallySettings = {},
): Promise<void> => {
  let [last, end] = [shown(seen?.()), performance.now() + limitMs];
  while (!(await condition())) {
    const now = shown(seen?.());
    if (now !== last) [last, end] = [now, performance.now() + limitMs];
    if (performance.now() > end) throw new Error(`the condition did not hold, and nothing changed for ${limitMs} ms; seen last: ${last}`);
    await settle(1);
  }
};
