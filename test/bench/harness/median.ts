/**
 * The middle value; for an even count the mean of the two.
 * @throws Error for no values
 */
export const median = (values: readonly number[]): number => quantile(values, 0.5);

/**
 * Linear between neighbours.
 * @throws Error for no values
 */
export const quantile = (values: readonly number[], fraction: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * fraction;
  const [below, above] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  if (below === undefined || above === undefined) throw new Error('no values were measured');
  return below + (above - below) * (at - Math.floor(at));
};
