import { median } from './median';

/** The bound that a figure must keep, and the goal beyond it. */
export interface Bound {
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
  /** For a figure that was not measured: the reason, and how to measure it. */
  readonly absent?: string;
}

/** The results of one measurement. */
export interface Findings {
  readonly figures: readonly Figure[];
  /** How it was measured, for readers of the figures alone. */
  readonly notes: readonly string[];
}

export const ratioOf = (name: string, above: readonly number[], below: readonly number[], bound?: Bound): Figure => ({
  name,
  unit: 'x',
  rounds: above.map((value, round) => value / (below[round] ?? Number.NaN)),
  ...(bound !== undefined && { bound }),
});

export const valueOf = ({ rounds }: Figure): number => median(rounds);

export type Verdict = 'goal met' | 'met' | 'MISSED';

const holds = (kind: Bound['kind'], value: number, limit: number): boolean => (kind === 'at-least' ? value >= limit : value <= limit);

export const verdictOn = (figure: Figure): Verdict | undefined => {
  const { bound } = figure;
  if (bound === undefined || figure.absent !== undefined) return undefined;
  const value = valueOf(figure);
  if (bound.goal !== undefined && holds(bound.kind, value, bound.goal)) return 'goal met';
  return holds(bound.kind, value, bound.asked) ? 'met' : 'MISSED';
};
