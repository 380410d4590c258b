const TICK_MS = 10;

/**
 * Counts timer ticks, so time in which the machine starves the process is excluded. Timers of tested deadlines are late for the same
 * reason.
 */
export const stopwatch = (): { readonly stop: () => number } => {
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), TICK_MS).unref();
  const stop = (): number => {
    clearInterval(timer);
    return ticks * TICK_MS;
  };
  return { stop };
};
