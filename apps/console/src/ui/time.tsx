import { useSyncExternalStore, type ReactNode } from 'react';
import { duration, instant, relative } from '../format';
import { usePreferences } from '../preferences';

const TICK_MS = 10_000;
let nowMs = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  if (timer === undefined) nowMs = Date.now();
  timer ??= setInterval(() => {
    nowMs = Date.now();
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
};

/** The current time, which changes every ten seconds: one clock for the whole page. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => nowMs);

interface TimeProps {
  /** ISO 8601. */
  readonly at: string;
  readonly withMs?: boolean;
  /** Relative whatever the switch says, as for the age of a queue. */
  readonly isRelative?: boolean;
  /** Between date and time, in a narrow column. */
  readonly mayBreak?: boolean;
}

const Relative = ({ at }: { readonly at: string }): ReactNode => relative(at, useNow());

/** A time as the switch of the frame says: UTC, local or relative. The other forms are in its tooltip. */
export const Time = ({ at, withMs = false, isRelative = false, mayBreak = false }: TimeProps): ReactNode => {
  const { zone } = usePreferences();
  const text = isRelative || zone === 'relative' ? undefined : instant(at, zone, { withMs });
  const shown = text === undefined ? <Relative at={at} /> : mayBreak ? text.replace('\u00a0', ' ') : text;
  return (
    <time
      className={mayBreak ? 'time breaks' : 'time'}
      dateTime={at}
      title={`${instant(at, 'utc', { withMs: true })}\n${instant(at, 'local', { withMs: true })}`}
    >
      {shown}
    </time>
  );
};

/** How long ago something began, without "ago": `2 h 5 min`. */
export const Age = ({ since }: { readonly since: string }): ReactNode => {
  const now = useNow();
  return (
    <time className="time" dateTime={since} title={instant(since)}>
      {duration((now - Date.parse(since)) / 1_000)}
    </time>
  );
};
