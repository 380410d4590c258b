const ROUNDS_MIN = 2;
const ROUNDS_MAX = 12;
const US_PER_MS = 1_000;
/** Shorter runs cannot be distinguished from the cost of measuring. */
const MEASURABLE_MS = 0.2;
/**
 * Disturbances can make a large run five times slower: a factor of 1.3 per doubling over six doublings. Linear and quadratic growth differ
 * by 2.
 */
const DOUBLINGS = 6;
const PIECES = 2 ** DOUBLINGS;

const usedMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / US_PER_MS;
};

const PAGE_BYTES = 4_096;
const CALIBRATION_BYTES = 2_097_152;
const CALIBRATION_ROUNDS = 8;
const pageFaults = (): number => process.resourceUsage().minorPageFault;

const processorMs = (run: () => unknown): number => {
  const before = usedMs();
  run();
  return usedMs() - before;
};

/** Processor time of one page fault: twenty microseconds were measured on a virtual machine. */
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

/** Subtracts the kernel's time for fresh pages. Only large inputs need them, so expensive pages would look like superlinear growth. */
const processorMsWithoutPages = (run: () => unknown): number => {
  msOfFault ??= measuredMsOfFault();
  const before = pageFaults();
  const ms = processorMs(run);
  return Math.max(0, ms - (pageFaults() - before) * msOfFault);
};

/**
 * Growth of the processor time per doubling of the input, averaged over six doublings: 2 is linear, 4 quadratic, 1 too short to measure.
 * Compares one large run with as much input in 64 small ones. Disturbances only lengthen a run, so it takes the minimum and adds runs above
 * `timesMax`.
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
    if (round === ROUNDS_MAX / 2) msOfFault = undefined;
  }
  return times;
};

const YARDSTICK_STEPS = 6_000_000;
const YARDSTICK_ROUNDS_MAX = 40;
/** The minimum over all rounds so far; most calls need no further round. */
let yardstickMs = Number.POSITIVE_INFINITY;

/** Fixed arithmetic: about 7 ms on a 3 GHz core, and proportionally more on a slow or shared one. */
const yardstick = (): number => {
  let sum = 0;
  for (let step = 0; step < YARDSTICK_STEPS; step++) sum = Math.imul(sum + step, 31);
  return sum;
};

/**
 * Processor time of a run in units of fixed arithmetic, so that a limit holds on slow and busy machines too.
 * The minimum of several runs; adds runs above `timesMax`, up to forty.
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
