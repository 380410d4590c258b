const ROUNDS_MIN = 2;
const ROUNDS_MAX = 12;
const US_PER_MS = 1_000;
/** Anything shorter cannot be told from the cost of measuring. */
const MEASURABLE_MS = 0.2;
/**
 * Over a single doubling, chance and the engine's own stages look like growth. What disturbs a large run on a busy machine was seen to cost it five times
 * its own time: over six doublings that is a factor of 1.3 each, where linear and quadratic growth are apart by a factor of 2.
 */
const DOUBLINGS = 6;
const PIECES = 2 ** DOUBLINGS;

/** Counts all threads of this process, and nothing of other processes. */
const usedMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / US_PER_MS;
};

const PAGE_BYTES = 4_096;
const CALIBRATION_BYTES = 2_097_152;
const CALIBRATION_ROUNDS = 8;
const pageFaults = (): number => process.resourceUsage().minorPageFault;

/** The processor time of one run. */
const processorMs = (run: () => unknown): number => {
  const before = usedMs();
  run();
  return usedMs() - before;
};

/** What this machine takes to hand a process one page of fresh memory: twenty microseconds were seen on a virtual one. */
const measuredMsOfFault = (): number => {
  const rounds: number[] = [];
  for (let round = 0; round < CALIBRATION_ROUNDS; round++) {
    const before = pageFaults();
    const ms = processorMs(() => {
      const fresh = Buffer.allocUnsafeSlow(CALIBRATION_BYTES);
      for (let at = 0; at < fresh.length; at += PAGE_BYTES) fresh[at] = 1;
    });
    const faults = pageFaults() - before;
    if (faults > CALIBRATION_BYTES / PAGE_BYTES / 2) rounds.push(ms / faults);
  }
  return rounds.sort((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? 0;
};
let msOfFault: number | undefined;

/**
 * The processor time of one run without what the kernel took for fresh pages. A small input lives in memory that the heap has at hand, a large one asks
 * for more: where pages are dear, their price alone looks like more than linear growth.
 */
const processorMsWithoutPages = (run: () => unknown): number => {
  msOfFault ??= measuredMsOfFault();
  const before = pageFaults();
  const ms = processorMs(run);
  return Math.max(0, ms - (pageFaults() - before) * msOfFault);
};

/**
 * By how much the processor time grows when the input doubles, averaged over six doublings: 2 for linear growth, 4 for quadratic growth. It compares one
 * large run with as much input in 64 small ones, so that both take long enough to be measured. It is the least of several runs, and of more runs while it
 * looks larger than `timesMax`, because disturbances only ever make a run longer. It is 1 where there is too little to measure.
 * @param make the input of a length
 * @param length of the largest input
 */
export const timesPerDoubling = <Input>(
  make: (length: number) => Input,
  run: (input: Input) => unknown,
  length: number,
  timesMax: number,
): number => {
  const [small, large] = [make(length / PIECES), make(length)];
  const runPieces = (): void => {
    for (let piece = 0; piece < PIECES; piece++) run(small);
  };
  let piecesMs = Number.POSITIVE_INFINITY;
  let largeMs = Number.POSITIVE_INFINITY;
  let times = Number.POSITIVE_INFINITY;
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    largeMs = Math.min(
      largeMs,
      processorMsWithoutPages(() => run(large)),
    );
    if (largeMs < MEASURABLE_MS) return 1;
    piecesMs = Math.min(piecesMs, processorMs(runPieces));
    times = ((largeMs * PIECES) / piecesMs) ** (1 / DOUBLINGS);
    if (round >= ROUNDS_MIN && times <= timesMax) break;
    // A page may cost more on a machine that has become busy since.
    if (round === ROUNDS_MAX / 2) msOfFault = undefined;
  }
  return times;
};

const YARDSTICK_STEPS = 6_000_000;
const YARDSTICK_ROUNDS_MAX = 40;
/** An unhurried core's time for it is known from the first rounds on; most calls need no round of their own. */
let yardstickMs = Number.POSITIVE_INFINITY;

/** A fixed piece of plain arithmetic: about 7 ms on a core of 3 GHz, and more where the core is slower or shared, as all else is there. */
const yardstick = (): number => {
  let sum = 0;
  for (let step = 0; step < YARDSTICK_STEPS; step++) sum = Math.imul(sum + step, 31);
  return sum;
};

/**
 * How many times the processor time of a fixed piece of arithmetic a run takes: a bound on it holds on a slow or a busy machine as on a quick one,
 * which a bound in milliseconds does not. It is the least of several runs, and of more runs while it looks larger than `timesMax`, forty at most.
 */
export const timesOfYardstick = async (run: () => Promise<unknown>, timesMax: number): Promise<number> => {
  if (yardstickMs === Number.POSITIVE_INFINITY) yardstickMs = Math.min(...[1, 2, 3].map(() => processorMs(yardstick)));
  let runMs = Number.POSITIVE_INFINITY;
  for (let round = 1; round <= YARDSTICK_ROUNDS_MAX; round++) {
    const before = usedMs();
    await run();
    runMs = Math.min(runMs, usedMs() - before);
    if (runMs <= timesMax * yardstickMs) break;
  }
  return runMs / yardstickMs;
};
