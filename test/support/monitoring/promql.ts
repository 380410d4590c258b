import { parser } from '@prometheus-io/lezer-promql';

export type Labels = Readonly<Record<string, string>>;
export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

interface Point {
  readonly atMs: number;
  readonly value: number | undefined;
}
interface Series {
  readonly labels: Labels;
  readonly points: Point[];
}
type Points = readonly { readonly atMs: number; readonly value: number }[];

type SyntaxNode = ReturnType<typeof parser.parse>['topNode'];
type Value = number | readonly Sample[];

const NAME = '__name__';
const LOOKBACK_MS = 300_000;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const durationMs = (text: string): number => {
  const [, count, unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit];
  if (unitMs === undefined) throw new Error(`the evaluator knows no duration ${text}`);
  return Number(count) * unitMs;
};

const keyOf = (labels: Labels): string => JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
const withoutName = ({ [NAME]: _, ...labels }: Labels): Labels => labels;
const matchKey = (labels: Labels): string => keyOf(withoutName(labels));

const grouped = (samples: readonly Sample[], keyFor: (labels: Labels) => string): readonly (readonly Sample[])[] => {
  const groups = new Map<string, Sample[]>();
  for (const sample of samples) {
    const key = keyFor(sample.labels);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [sample]);
    else group.push(sample);
  }
  return [...groups.values()];
};

export class ScrapedSeries {
  readonly #byName = new Map<string, Map<string, Series>>();

  /** A series missing from a scrape of its target is stale from then on. */
  scraped(atMs: number, target: Labels, samples: readonly (Sample & { readonly name: string })[]): void {
    const now = new Map(samples.map(({ name, labels, value }) => [keyOf({ ...labels, ...target, [NAME]: name }), value]));
    for (const { name, labels } of samples) this.#seriesOf({ ...labels, ...target, [NAME]: name });
    for (const [key, { labels, points }] of [...this.#byName.values()].flatMap((series) => [...series])) {
      if (Object.entries(target).some(([name, value]) => labels[name] !== value)) continue;
      const value = now.get(key);
      if (value !== undefined || points.at(-1)?.value !== undefined) points.push({ atMs, value });
    }
  }

  named(name: string): readonly Series[] {
    return [...(this.#byName.get(name)?.values() ?? [])];
  }

  #seriesOf(labels: Labels): void {
    const name = labels[NAME] ?? '';
    let series = this.#byName.get(name);
    if (series === undefined) this.#byName.set(name, (series = new Map<string, Series>()));
    const key = keyOf(labels);
    if (!series.has(key)) series.set(key, { labels, points: [] });
  }
}

const increaseOf = (points: Points, fromMs: number, toMs: number): number | undefined => {
  const [first, ...rest] = points;
  const last = rest.at(-1);
  if (first === undefined || last === undefined) return undefined;
  let increase = last.value - first.value;
  let previous = first.value;
  for (const { value } of rest) {
    if (value < previous) increase += previous;
    previous = value;
  }
  const sampledMs = last.atMs - first.atMs;
  const gapMs = sampledMs / rest.length;
  // If a point may be missing at an end of the range, Prometheus extrapolates by half a gap, but never below zero.
  const reach = (distanceMs: number): number => (distanceMs >= gapMs * 1.1 ? gapMs / 2 : distanceMs);
  const toZeroMs = increase > 0 && first.value >= 0 ? sampledMs * (first.value / increase) : Infinity;
  return (increase * (sampledMs + Math.min(reach(first.atMs - fromMs), toZeroMs) + reach(toMs - last.atMs))) / sampledMs;
};

type OverRange = (points: Points, fromMs: number, toMs: number) => number | undefined;
const OVER_RANGE: Readonly<Record<string, OverRange>> = {
  increase: increaseOf,
  rate: (points, fromMs, toMs) => {
    const increase = increaseOf(points, fromMs, toMs);
    return increase === undefined ? undefined : (increase * 1_000) / (toMs - fromMs);
  },
  max_over_time: (points) => (points.length === 0 ? undefined : Math.max(...points.map(({ value }) => value))),
  min_over_time: (points) => (points.length === 0 ? undefined : Math.min(...points.map(({ value }) => value))),
};

const AGGREGATES: Readonly<Record<string, (values: readonly number[]) => number>> = {
  sum: (values) => values.reduce((sum, value) => sum + value, 0),
  max: (values) => Math.max(...values),
  min: (values) => Math.min(...values),
  count: (values) => values.length,
};

const ARITHMETIC: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
};
const COMPARISONS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
};

const bucketsQuantile = (quantile: number, buckets: readonly { readonly le: number; readonly count: number }[]): number => {
  const sorted = [...buckets].sort((a, b) => a.le - b.le);
  const total = sorted.at(-1);
  if (total?.le !== Infinity || sorted.length < 2 || total.count === 0) return NaN;
  const rank = quantile * total.count;
  const index = sorted.findIndex(({ count }) => count >= rank);
  const found = sorted[index];
  if (found === undefined || found.le === Infinity) return sorted.at(-2)?.le ?? NaN;
  const below = sorted[index - 1] ?? { le: 0, count: 0 };
  if (found.count === below.count) return found.le;
  return below.le + ((found.le - below.le) * (rank - below.count)) / (found.count - below.count);
};

/** The part of PromQL that the rules use. Anything else is an error. */
class Evaluation {
  constructor(
    private readonly text: string,
    private readonly series: ScrapedSeries,
    private readonly atMs: number,
  ) {}

  value(node: SyntaxNode): Value {
    switch (node.type.name) {
      case 'NumberDurationLiteral':
        return Number(this.#textOf(node));
      case 'ParenExpr':
        return this.value(this.#children(node, 1)[0]);
      case 'VectorSelector':
        return this.#instant(node);
      case 'FunctionCall':
        return this.#call(node);
      case 'AggregateExpr':
        return this.#aggregate(node);
      case 'BinaryExpr':
        return this.#binary(node);
      default:
        return this.#unknown(node);
    }
  }

  #textOf({ from, to }: SyntaxNode): string {
    return this.text.slice(from, to);
  }

  #unknown(node: SyntaxNode): never {
    throw new Error(`the evaluator knows no ${node.type.name}: ${this.#textOf(node)}`);
  }

  #children(node: SyntaxNode, count: 1): [SyntaxNode];
  #children(node: SyntaxNode, count: 2): [SyntaxNode, SyntaxNode];
  #children(node: SyntaxNode, count: 3): [SyntaxNode, SyntaxNode, SyntaxNode];
  #children(node: SyntaxNode, count: number): SyntaxNode[] {
    const children = this.#all(node);
    return children.length === count ? children : this.#unknown(node);
  }

  #all(node: SyntaxNode): SyntaxNode[] {
    const children: SyntaxNode[] = [];
    for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
    return children;
  }

  #vector(node: SyntaxNode): readonly Sample[] {
    const value = this.value(node);
    return typeof value === 'number' ? this.#unknown(node) : value;
  }

  #selected(node: SyntaxNode): readonly Series[] {
    const [identifier, matchers, ...more] = this.#all(node);
    if (node.type.name !== 'VectorSelector' || identifier?.type.name !== 'Identifier' || more.length > 0) return this.#unknown(node);
    const tests = (matchers === undefined ? [] : this.#all(matchers)).map((matcher) => {
      const [name, operator, literal] = this.#children(matcher, 3);
      const [label, wanted] = [this.#textOf(name), JSON.parse(this.#textOf(literal)) as string];
      const anchored = new RegExp(`^(?:${wanted})$`);
      const matches: Readonly<Record<string, (value: string) => boolean>> = {
        '=': (value) => value === wanted,
        '!=': (value) => value !== wanted,
        '=~': (value) => anchored.test(value),
        '!~': (value) => !anchored.test(value),
      };
      const test = matches[this.#textOf(operator)] ?? this.#unknown(matcher);
      return (labels: Labels): boolean => test(labels[label] ?? '');
    });
    return this.series.named(this.#textOf(identifier)).filter(({ labels }) => tests.every((test) => test(labels)));
  }

  #instant(node: SyntaxNode): readonly Sample[] {
    return this.#selected(node).flatMap(({ labels, points }) => {
      const newest = points.findLast(({ atMs }) => atMs <= this.atMs);
      return newest?.value === undefined || newest.atMs <= this.atMs - LOOKBACK_MS ? [] : [{ labels, value: newest.value }];
    });
  }

  #call(node: SyntaxNode): Value {
    const [named, body] = this.#children(node, 2);
    const name = this.#textOf(named);
    const over = OVER_RANGE[name];
    if (over !== undefined) return this.#overRange(this.#children(body, 1)[0], over);
    if (name === 'histogram_quantile') return this.#quantile(...this.#children(body, 2));
    if (name === 'absent') return this.#vector(this.#children(body, 1)[0]).length === 0 ? [{ labels: {}, value: 1 }] : [];
    return this.#unknown(node);
  }

  #overRange(matrix: SyntaxNode, over: OverRange): readonly Sample[] {
    const [selector, range] = this.#children(matrix, 2);
    const fromMs = this.atMs - durationMs(this.#textOf(range));
    return this.#selected(selector).flatMap(({ labels, points }) => {
      const within = points.filter(({ atMs, value }) => atMs > fromMs && atMs <= this.atMs && value !== undefined) as Points;
      const value = over(within, fromMs, this.atMs);
      return value === undefined ? [] : [{ labels: withoutName(labels), value }];
    });
  }

  #quantile(quantile: SyntaxNode, buckets: SyntaxNode): readonly Sample[] {
    const asked = this.value(quantile);
    if (typeof asked !== 'number') return this.#unknown(quantile);
    const withoutBound = ({ le: _, ...labels }: Labels): Labels => withoutName(labels);
    return grouped(this.#vector(buckets), (labels) => keyOf(withoutBound(labels))).map((group) => {
      const counts = group.map(({ labels: { le }, value }) => ({ le: le === '+Inf' ? Infinity : Number(le), count: value }));
      return { labels: withoutBound(group[0]?.labels ?? {}), value: bucketsQuantile(asked, counts) };
    });
  }

  #aggregate(node: SyntaxNode): readonly Sample[] {
    const [operator, ...rest] = this.#all(node);
    const body = rest.find(({ type }) => type.name === 'FunctionCallBody');
    const modifier = rest.find(({ type }) => type.name === 'AggregateModifier');
    const aggregate = operator && AGGREGATES[this.#textOf(operator)];
    if (aggregate === undefined || body === undefined || rest.length > (modifier === undefined ? 1 : 2)) return this.#unknown(node);
    const [by, grouping] = modifier === undefined ? [] : this.#children(modifier, 2);
    if (by !== undefined && by.type.name !== 'By') return this.#unknown(node);
    const names = grouping === undefined ? [] : this.#all(grouping).map((label) => this.#textOf(label));
    const kept = (labels: Labels): Labels =>
      Object.fromEntries(names.flatMap((name) => (labels[name] === undefined ? [] : [[name, labels[name]]])));
    return grouped(this.#vector(this.#children(body, 1)[0]), (labels) => keyOf(kept(labels))).map((group) => ({
      labels: kept(group[0]?.labels ?? {}),
      value: aggregate(group.map(({ value }) => value)),
    }));
  }

  #binary(node: SyntaxNode): Value {
    const [left, operator, right] = this.#children(node, 3);
    const symbol = this.#textOf(operator);
    if (symbol === 'and' || symbol === 'or' || symbol === 'unless') return this.#ofSets(symbol, this.#vector(left), this.#vector(right));
    const [a, b] = [this.value(left), this.value(right)];
    const arithmetic = ARITHMETIC[symbol];
    if (typeof a === 'number' && typeof b === 'number') return arithmetic?.(a, b) ?? this.#unknown(node);
    return this.#pairs(a, b).flatMap(({ labels, kept, leftValue, rightValue }) => {
      if (arithmetic !== undefined) return [{ labels: withoutName(labels), value: arithmetic(leftValue, rightValue) }];
      const holds = COMPARISONS[symbol] ?? this.#unknown(node);
      return holds(leftValue, rightValue) ? [{ labels, value: kept }] : [];
    });
  }

  #ofSets(symbol: 'and' | 'or' | 'unless', left: readonly Sample[], right: readonly Sample[]): readonly Sample[] {
    const keys = new Set((symbol === 'or' ? left : right).map(({ labels }) => matchKey(labels)));
    if (symbol === 'or') return [...left, ...right.filter(({ labels }) => !keys.has(matchKey(labels)))];
    return left.filter(({ labels }) => keys.has(matchKey(labels)) === (symbol === 'and'));
  }

  #pairs(
    a: Value,
    b: Value,
  ): readonly { readonly labels: Labels; readonly kept: number; readonly leftValue: number; readonly rightValue: number }[] {
    if (typeof a === 'number')
      return (b as readonly Sample[]).map(({ labels, value }) => ({ labels, kept: value, leftValue: a, rightValue: value }));
    const rightOf = new Map(typeof b === 'number' ? [] : b.map(({ labels, value }) => [matchKey(labels), value]));
    return a.flatMap(({ labels, value }) => {
      const rightValue = typeof b === 'number' ? b : rightOf.get(matchKey(labels));
      return rightValue === undefined ? [] : [{ labels, kept: value, leftValue: value, rightValue }];
    });
  }
}

const parsedBefore = new Map<string, ReturnType<typeof parser.parse>>();
const parsed = (text: string): ReturnType<typeof parser.parse> => {
  const tree = parsedBefore.get(text) ?? parser.parse(text);
  parsedBefore.set(text, tree);
  return tree;
};

/**
 * @throws Error if the expression is not PromQL, or the evaluator does not support it
 */
export const evaluate = (text: string, series: ScrapedSeries, atMs: number): readonly Sample[] => {
  const { firstChild: expression } = parsed(text).topNode;
  if (expression === null || expression.nextSibling !== null) throw new Error(`no PromQL: ${text}`);
  const value = new Evaluation(text, series, atMs).value(expression);
  return typeof value === 'number' ? [{ labels: {}, value }] : value;
};

export class AlertRule {
  readonly #expr: string;
  readonly #forMs: number;
  #activeSince = new Map<string, number>();

  constructor({ expr, for: held = '0s' }: { readonly expr: string; readonly for?: string | undefined }) {
    this.#expr = expr;
    this.#forMs = durationMs(held);
  }

  evaluated(series: ScrapedSeries, atMs: number): readonly Sample[] {
    const active = evaluate(this.#expr, series, atMs);
    const before = this.#activeSince;
    this.#activeSince = new Map(active.map(({ labels }) => [matchKey(labels), before.get(matchKey(labels)) ?? atMs]));
    return active.filter(({ labels }) => atMs - (this.#activeSince.get(matchKey(labels)) ?? atMs) >= this.#forMs);
  }
}
