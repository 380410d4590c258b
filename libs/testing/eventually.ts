import { settle } from './virtual-clock';

export interface EventuallySettings {
  /** How far the awaited work is; the limit begins anew whenever that changes, and the error shows the last of it. */
  readonly seen?: () => unknown;
  /** Real time without any change, in milliseconds. */
  readonly limitMs?: number;
}

const LIMIT_MS = 10_000;

const shown = (seen: unknown): string => JSON.stringify(seen, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)) ?? 'nothing'; // prettier-ignore

/**
 * Waits, turn by turn of the event loop, for a condition that real work (a thread, a file, a server) brings about. Work that goes on may take as long as a
 * busy machine needs; work that stands still fails after the limit.
 * @throws Error where nothing changed for `limitMs`; what the condition throws is passed on at once
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
