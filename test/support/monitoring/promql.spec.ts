import { AlertRule, evaluate, ScrapedSeries, type Labels } from './promql';

const GAP_MS = 15_000;
const TARGET = { job: 'a', instance: '1' };

const scrapes = (written: readonly (readonly [string, Labels, readonly (number | undefined)[]])[]): ScrapedSeries => {
  const series = new ScrapedSeries();
  const count = Math.max(...written.map(([, , values]) => values.length));
  for (let scrape = 0; scrape < count; scrape++)
    series.scraped(
      scrape * GAP_MS,
      TARGET,
      written.flatMap(([name, labels, values]) => {
        const value = values[scrape];
        return value === undefined ? [] : [{ name, labels, value }];
      }),
    );
  return series;
};
const times = (count: number, value: (index: number) => number): number[] => Array.from({ length: count }, (_, index) => value(index));

const SERIES = scrapes([
  ['steady_total', { gate: 'a' }, times(41, (index) => 3 * index)],
  ['steady_total', { gate: 'b' }, times(41, () => 7)],
  ['restarted_total', {}, [...times(30, (index) => 100 + index), ...times(11, (index) => index)]],
  ['late_total', {}, [...times(38, () => undefined as never), 1, 1, 1]],
  ['gone', {}, [...times(38, () => 4), undefined]],
  ['level', { gate: 'a' }, [...times(39, () => 2), 9, 3]],
  ['level', { gate: 'b' }, times(41, () => 5)],
  ['limit', { gate: 'a' }, times(41, () => 4)],
  ['limit', { gate: 'b' }, times(41, () => 4)],
  ['seconds_bucket', { le: '0.5', call: 'x' }, times(41, (index) => index)],
  ['seconds_bucket', { le: '1', call: 'x' }, times(41, (index) => 3 * index)],
  ['seconds_bucket', { le: '+Inf', call: 'x' }, times(41, (index) => 4 * index)],
]);
/** Ten seconds after the last scrape, so that no range begins at one. */
const AT_MS = 610_000;

/** `promtool test rules` of Prometheus 2.42 gives the same answers. */
describe('a PromQL expression', () => {
  it.each<[string, readonly (readonly [Labels, number])[]]>([
    ['sum(increase(steady_total[5m]))', [[{}, 60]]],
    ['rate(steady_total{gate="a"}[5m])', [[{ ...TARGET, gate: 'a' }, 0.2]]],
    ['increase(restarted_total[5m])', [[TARGET, 18.94736842105263]]],
    ['increase(late_total[5m])', [[TARGET, 0]]],
    ['gone', []],
    ['absent(gone)', [[{}, 1]]],
    ['absent(level)', []],
    ['level > limit', [[{ ...TARGET, gate: 'b', __name__: 'level' }, 5]]],
    [
      'level > 2 and limit > 3',
      times(2, (index) => index).map((index) => [{ ...TARGET, gate: 'ab'[index] ?? '', __name__: 'level' }, [3, 5][index] ?? 0]),
    ],
    ['level unless level < 4', [[{ ...TARGET, gate: 'b', __name__: 'level' }, 5]]],
    [
      'max by (gate) (max_over_time(level[1m]))',
      [
        [{ gate: 'a' }, 9],
        [{ gate: 'b' }, 5],
      ],
    ],
    ['level{gate!="a"} / limit', [[{ ...TARGET, gate: 'b' }, 1.25]]],
    ['sum(level{gate=~"a|b|c"}) > 0.5 * sum(limit)', [[{}, 8]]],
    [
      'count(level) or limit',
      [
        [{}, 2],
        [{ ...TARGET, gate: 'a', __name__: 'limit' }, 4],
        [{ ...TARGET, gate: 'b', __name__: 'limit' }, 4],
      ],
    ],
    ['histogram_quantile(0.5, sum by (le, call) (rate(seconds_bucket[5m])))', [[{ call: 'x' }, 0.75]]],
    ['histogram_quantile(0.99, sum by (le) (rate(seconds_bucket[5m])))', [[{}, 1]]],
  ])('%s evaluates as in Prometheus', (expression, wanted) => {
    const given = evaluate(expression, SERIES, AT_MS).map(({ labels, value }) => [labels, Number(value.toFixed(9))]);
    expect(given).toStrictEqual(wanted.map(([labels, value]) => [labels, Number(value.toFixed(9))]));
  });

  it.each([
    'level offset 5m',
    'sum without (gate) (level)',
    'level > on (gate) limit',
    'deriv(level[5m])',
    '-level',
    'level > bool 1',
    'sum(',
  ])('throws if the evaluator does not support it: %s', (expression) => {
    expect(() => evaluate(expression, SERIES, AT_MS)).toThrow('the evaluator knows no');
  });
});

describe('an alert rule', () => {
  const level = scrapes([['level', {}, [0, 9, 9, 0, 9, 9, 9, 9]]]);
  const firing = (held: string | undefined): number[] => {
    const rule = new AlertRule({ expr: 'level > 5', for: held });
    return times(8, (index) => index).filter((index) => rule.evaluated(level, index * GAP_MS).length > 0);
  };

  it('fires at once without a minimum duration', () => expect(firing(undefined)).toStrictEqual([1, 2, 4, 5, 6, 7]));
  it('restarts its duration after each interruption', () => expect(firing('30s')).toStrictEqual([6, 7]));
});
