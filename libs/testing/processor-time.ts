const ROUNDS_MIN = 2;
const ROUNDS_MAX = 12;
const US_PER_MS = 1_000;
/** What is done in less cannot be told from what the measuring costs. */
const MEASURABLE_MS = 0.2;
/** Over one doubling alone, chance and the engine's own stages look like growth. */
const DOUBLINGS = 3;

/** Of this process, all its threads: what others have of the machine is not in it. */
const usedMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / US_PER_MS;
};

/** Processor time of one run. */
export const processorMs = (run: () => unknown): number => {
  const before = usedMs();
  run();
  return usedMs() - before;
};

/**
 * How many times the processor time that twice the input takes, over three doublings: 2 where it grows in proportion, 4 where it grows with the square.
 * The least of several runs, more of them while it looks larger than `timesMax`, for what disturbs a run only ever makes it longer. 1 where there is too
 * little to measure.
 * @param make the input of a length
 * @param length of the largest input
 */
export const timesPerDoubling = <Input>(
  make: (length: number) => Input,
  run: (input: Input) => unknown,
  length: number,
  timesMax: number,
): number => {
  const [small, large] = [make(length / 2 ** DOUBLINGS), make(length)];
  let smallMs = Number.POSITIVE_INFINITY;
  let largeMs = Number.POSITIVE_INFINITY;
  let times = Number.POSITIVE_INFINITY;
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    largeMs = Math.min(
      largeMs,
      processorMs(() => run(large)),
    );
    if (largeMs < MEASURABLE_MS) return 1;
    smallMs = Math.min(
      smallMs,
      processorMs(() => run(small)),
    );
    times = (largeMs / smallMs) ** (1 / DOUBLINGS);
    if (round >= ROUNDS_MIN && times <= timesMax) break;
  }
  return times;
};

/** The least processor time of a few runs; the first that keeps within `boundMs` is enough. */
export const leastProcessorMs = async (run: () => Promise<unknown>, boundMs: number): Promise<number> => {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 1; round <= ROUNDS_MAX && least > boundMs; round++) {
    const before = usedMs();
    await run();
    least = Math.min(least, usedMs() - before);
  }
  return least;
};
