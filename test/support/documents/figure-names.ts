import { parser } from '@prometheus-io/lezer-promql';

export interface AskedFigures {
  readonly names: readonly string[];
  readonly labels: readonly string[];
}

const filled = (expression: string): string => expression.replaceAll('$__rate_interval', '5m');

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
