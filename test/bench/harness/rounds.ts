const ROUNDS_MIN = 3;
const ROUND_SECONDS_DEFAULT = 12;

/**
 * A number from the environment.
 * @throws Error where it is not above zero
 */
export const given = (name: string, otherwise: number): number => {
  const value = Number(process.env[name] ?? otherwise);
  if (!Number.isFinite(value) || value <= 0) throw new Error(`${name}: a number above zero is expected`);
  return value;
};

/** Rounds of every comparison, interleaved; the figure is their median. BENCH_ROUNDS asks for more than three. */
export const ROUNDS = Math.max(ROUNDS_MIN, given('BENCH_ROUNDS', ROUNDS_MIN));
/** The duration of each load of a round; BENCH_ROUND_SECONDS shortens a trial. */
export const ROUND_SECONDS = given('BENCH_ROUND_SECONDS', ROUND_SECONDS_DEFAULT);
