import { median } from './median';

/** What is asked of a figure, and the goal beyond it. */
export interface Bound {
  readonly kind: 'at-least' | 'at-most';
  readonly asked: number;
  readonly goal?: number;
}

export interface Figure {
  readonly name: string;
  /** `x` for a ratio. */
  readonly unit: string;
  /** One value a round; the figure is their median. */
  readonly rounds: readonly number[];
  readonly bound?: Bound;
  /** Of a figure that was not measured: why, and how it could be. */
  readonly absent?: string;
}

/** What one measurement found. */
export interface Findings {
  readonly figures: readonly Figure[];
  /** How it was measured, for who reads the figures alone. */
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
