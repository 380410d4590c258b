import { parser } from '@prometheus-io/lezer-promql';

/** What a PromQL expression asks for. */
export interface AskedFigures {
  readonly names: readonly string[];
  /** Of a label and the name that it was asked of, `__name__` left out. */
  readonly labels: readonly string[];
}

/** Grafana's own words, as what they stand for. */
const filled = (expression: string): string => expression.replaceAll('$__rate_interval', '5m');

/** @throws Error where the expression is no PromQL */
export const figuresIn = (expression: string): AskedFigures => {
  const text = filled(expression);
  const names = new Set<string>();
  const labels = new Set<string>();
  parser.parse(text).iterate({
    enter: ({ type, from, to }) => {
      const word = text.slice(from, to);
      if (type.isError) throw new Error(`no PromQL at ${from}: ${text}`);
      if (type.name === 'Identifier') names.add(word);
      if (type.name === 'LabelName') labels.add(word);
    },
  });
  return { names: [...names], labels: [...labels] };
};
