interface Bound {
  readonly kind: 'at-least' | 'at-most';
  readonly asked: number;
  readonly goal?: number;
}

export interface Figure {
  readonly name: string;
  /** `x` for a ratio. */
  readonly unit: string;
  /** One value for each round; the figure is their median. */
  readonly rounds: readonly number[];
  readonly bound?: Bound;
}

export interface Findings {
  readonly figures: readonly Figure[];
  readonly notes?: readonly string[];
}

const given = (name: string, otherwise: number): number => {
  const value = Number(process.env[name] ?? otherwise);
  if (!Number.isFinite(value) || value <= 0) throw new Error(`${name}: a number above zero is expected`);
  return value;
};

export const ROUNDS = given('BENCH_ROUNDS', 3);
const SCALE = given('BENCH_SCALE', 1);
/** Scales a number of orders, events or milliseconds. With BENCH_SCALE below 1, the figures are meaningless. */
export const scaled = (count: number): number => Math.ceil(count * SCALE);

export const ratioOf = (name: string, above: readonly number[], below: readonly number[], bound?: Bound): Figure => ({
  name,
  unit: 'x',
  rounds: above.map((value, round) => value / (below[round] ?? Number.NaN)),
  ...(bound !== undefined && { bound }),
});

/**
 * For an even count, the mean of the two middle values.
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

const verdictOn = ({ rounds, bound }: Figure): string => {
  if (bound === undefined) return '';
  const { kind, asked, goal } = bound;
  const holds = (limit: number): boolean => (kind === 'at-least' ? median(rounds) >= limit : median(rounds) <= limit);
  if (goal !== undefined && holds(goal)) return 'goal met';
  return holds(asked) ? 'met' : 'MISSED';
};

const written = (value: number): string => (Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3));

const boundText = ({ kind, asked, goal }: Bound): string =>
  `${kind === 'at-least' ? 'at least' : 'at most'} ${asked}${goal === undefined ? '' : ` [${goal}]`}`;

export const tableOf = (figures: readonly Figure[]): string => {
  const rows = figures.map((figure) => {
    const { name, unit, rounds, bound } = figure;
    const measured = `${written(median(rounds))}${unit === 'x' ? '' : unit.startsWith('/') ? unit : ` ${unit}`}`;
    return [name, measured, bound === undefined ? '' : boundText(bound), verdictOn(figure), rounds.map(written).join(', ')];
  });
  const head = ['Figure', 'Measured', 'Asked [goal]', 'Verdict', 'Rounds'];
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join('\n');
};
