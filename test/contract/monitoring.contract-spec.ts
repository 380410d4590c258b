import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { readComposeFile } from '../support/documents/compose-file';
import { figuresIn } from '../support/documents/figure-names';
import { labelNamesOf, Stage } from '../support/monitoring/stage';
import { alarmsOfHealthyHour, firstAlarms, STAGED_FAULTS } from '../support/monitoring/staged-faults';

const textOf = (name: string): string => readFileSync(join(__dirname, '..', '..', 'deploy', name), 'utf8');
const watchText = readFileSync(join(__dirname, '..', '..', 'docs', 'watch.md'), 'utf8');

const rulesSchema = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^[A-Z][A-Za-z]+$/),
          expr: z.string(),
          for: z
            .string()
            .regex(/^\d+[smh]$/)
            .optional(),
          labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
          annotations: z.strictObject({ summary: z.string().min(1), runbook: z.string() }),
        }),
      ),
    }),
  ),
});
const rules = rulesSchema.parse(parse(textOf('prometheus/alerts.yml'))).groups.flatMap((group) => group.rules);

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}
const { panels } = JSON.parse(textOf('grafana/payment-orchestrator.json')) as { readonly panels: readonly Panel[] };
const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const));

/** Names and labels as the programs print them. Prometheus itself adds the name `up` and the labels of the target. */
const printed = async () => {
  const { registries } = new Stage();
  const types = [...(await Promise.all(registries.map((registry) => registry.metrics()))).join('\n').matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  const names = types.flatMap(([, name = '', type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
  const labels = registries.flatMap(labelNamesOf);
  const counters = types.flatMap(([, name = '', type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : type === 'counter' ? [name] : [],
  );
  return { counters: new Set(counters), names: new Set([...names, 'up']), labels: new Set([...labels, 'le', 'job', 'instance']) };
};
let known: Awaited<ReturnType<typeof printed>>;
beforeAll(async () => {
  known = await printed();
});
const unknownIn = (expression: string): string[] => {
  const { names, labels } = figuresIn(expression);
  expect(names.length).toBeGreaterThan(0);
  return [...names.filter((name) => !known.names.has(name)), ...labels.filter((name) => !known.labels.has(name))];
};

describe('deploy/prometheus/alerts.yml', () => {
  it('gives each rule a unique name', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });

  it.each(rules.map(({ alert, ...rule }) => [alert, rule] as const))(
    '%s uses only exported metrics and labels',
    (_alert, { expr, annotations }) => {
      expect(unknownIn(expr)).toStrictEqual([]);
      const counted = [...expr.matchAll(/(?:rate|increase)\((\w+)/g)].map(([, name = '']) => name);
      expect(counted.filter((name) => !known.counters.has(name))).toStrictEqual([]);
      const said = [...annotations.summary.matchAll(/\{\{(.*?)\}\}/g)].map(([, word = '']) => word.trim());
      for (const word of said) expect(word).toMatch(/^\$(value|labels\.[a-z]+)$/);
    },
  );

  it.each(rules.map(({ alert, ...rule }) => [alert, rule] as const))('%s fires in its staged fault', async (alert, rule) => {
    const fault = STAGED_FAULTS[alert];
    if (fault === undefined) throw new Error(`${alert} has no staged fault: add one to test/support/monitoring/staged-faults.ts`);
    const first = await firstAlarms(rule, fault);
    if (first === undefined) throw new Error(`${alert} did not fire`);
    expect(first.afterMs).toBeGreaterThanOrEqual(0);
    const named = [...rule.annotations.summary.matchAll(/\$labels\.([a-z]+)/g)].map(([, label = '']) => label);
    for (const { labels } of first.alarms) expect(Object.keys(labels)).toStrictEqual(expect.arrayContaining(named));
  });

  it('has exactly one rule per staged fault', () => {
    expect(Object.keys(STAGED_FAULTS).sort()).toStrictEqual(rules.map(({ alert }) => alert).sort());
  });

  it('raises no alert during a healthy hour', async () => {
    await expect(alarmsOfHealthyHour(rules)).resolves.toStrictEqual([]);
  });

  it.each(['temporarily-unavailable', 'acceptance-unknown', 'internal'])(
    'has one alert on requests of each group with the outcome %s',
    (outcome) => {
      const asking = rules.map(({ expr }) => expr).filter((expr) => expr.includes(`outcome="${outcome}"`));
      for (const group of ['a', 'b']) {
        const name = `orchestrator_group_${group}_requests_total`;
        expect([name, asking.filter((expr) => expr.includes(`${name}{outcome="${outcome}"}`)).length]).toStrictEqual([name, 1]);
      }
    },
  );

  it('watches the request duration of every interface', () => {
    const expr = rules.find(({ alert }) => alert === 'RequestsSlow')?.expr ?? '';
    const asked = figuresIn(expr).names.map((name) => name.replace(/_bucket$/, ''));
    expect(asked.sort()).toStrictEqual([
      'merchant_server_request_seconds',
      'orchestrator_group_a_request_seconds',
      'orchestrator_group_b_request_seconds',
    ]);
  });

  it('links each rule to its own section of docs/watch.md', () => {
    const linked = rules.map(({ annotations }) => annotations.runbook);
    expect(linked).toStrictEqual(rules.map(({ alert }) => `docs/watch.md#${alert.toLowerCase()}`));
    const [, ...runbooks] = watchText.split('\n## Runbook\n');
    const sections = [...runbooks.join('').matchAll(/^### (\S+)$/gm)].map(([, title = '']) => title);
    expect(sections.sort()).toStrictEqual(rules.map(({ alert }) => alert).sort());
  });
});

describe('docs/watch.md', () => {
  const shortForms = new Set(['_idle', '_awaited', '_max'].map((end) => `orchestrator_postgres_connections${end}`));
  const told = (): string[] => [...new Set([...known.names].map((name) => name.replace(/(_seconds)_(bucket|sum|count)$/, '$1')))];

  it('documents every metric that the programs export', () => {
    const ours = told().filter((name) => /^(orchestrator|merchant_server)_/.test(name) && !shortForms.has(name));
    expect(ours.length).toBeGreaterThan(30);
    expect(ours.filter((name) => !watchText.includes(`\`${name}\``))).toStrictEqual([]);
  });

  it('names only exported metrics', () => {
    const named = [...watchText.matchAll(/`((?:orchestrator|merchant_server)_[a-z_]+)`/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !told().includes(name))).toStrictEqual([]);
  });
});

describe('deploy/grafana/payment-orchestrator.json', () => {
  it('gives each panel a unique id', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(queries.length).toBeGreaterThan(30);
  });

  it.each(queries)('%s uses only exported metrics: %s', (_title, expr) => {
    expect(unknownIn(expr)).toStrictEqual([]);
  });
});

it('deploy/prometheus/prometheus.yml scrapes the operator port of every process in docker-compose.yml', () => {
  const { scrape_configs: jobs } = parse(textOf('prometheus/prometheus.yml')) as {
    readonly scrape_configs: readonly { readonly static_configs: readonly { readonly targets: readonly string[] }[] }[];
  };
  const targets = jobs.flatMap(({ static_configs }) => static_configs.flatMap((one) => one.targets));
  const served = Object.entries(readComposeFile().services)
    .map(([name, { environment }]) => `${name}:${environment?.['OPERATOR_PORT']}`)
    .filter((target) => !target.endsWith(':undefined'));
  expect([...targets].sort()).toStrictEqual(served.sort());
});

describe('the check for unknown metrics and labels', () => {
  it.each([
    ['an unknown metric', 'rate(orchestrator_group_a_request_total[5m])', ['orchestrator_group_a_request_total']],
    ['one that was renamed', 'orchestrator_log_lines_lost > 0', ['orchestrator_log_lines_lost']],
    ['an unknown label', 'sum by (gates) (orchestrator_gate_calls_under_way)', ['gates']],
    ['one in braces', 'orchestrator_gate_calls_total{verdict="x"}', ['verdict']],
  ])('reports %s', (_what, expression, unknown) => {
    expect(unknownIn(expression)).toStrictEqual(unknown);
  });

  it.each(['sum(', 'rate(up[5m]', 'up >', 'sum by gate (up)'])('throws for invalid PromQL: %s', (expression) => {
    expect(() => figuresIn(expression)).toThrow('no PromQL');
  });
});
