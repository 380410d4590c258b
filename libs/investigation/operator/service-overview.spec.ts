import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '@app/configuration';
import { addMs, type Currency, type Instant, type MerchantLogin } from '@app/kernel';
import type { Counted } from '@app/read-models';
import { VirtualClock } from '@app/testing';
import { parse } from 'yaml';
import type { HeldJson } from './switch.service';
import { ALERT_LIMITS, runbookOf, ServiceOverview } from './service-overview';

const clock = new VirtualClock();
const NONE: Counted = { count: 0, oldestAt: undefined };
const ago = (seconds: number): Instant => addMs(clock.now(), -seconds * 1_000);

type Ports = ConstructorParameters<typeof ServiceOverview>[0];

const overviewOf = (readModel: Partial<Ports['readModel']> = {}, more: Partial<Ports> = {}) =>
  new ServiceOverview({
    readModel: {
      openCounts: { unknownOutcomes: async () => NONE, unknownAmounts: async () => [] },
      deliveries: { count: async () => NONE },
      disputes: { count: async () => NONE },
      reconciliationCases: { count: async () => NONE },
      gateMinutes: { between: async () => ({ orders: [], calls: [] }) },
      ...readModel,
    },
    state: { parked: async () => ({ streams: [] }), projections: async () => ({ head: '1', eventsPerSecond: null, projections: [] }) },
    lists: { actionsAlone: async () => [] },
    gates: { states: () => [] },
    switches: { held: () => [] },
    configurations: { status: () => ({ digest: 'd-1', applied: null, processes: [] }) },
    logProofs: () => ({ treeSize: 0, checkpoint: undefined, isSigning: true, waitingSince: undefined, fault: undefined }),
    accounts: { logins: ['acme', 'umbrella'] as MerchantLogin[] },
    clock,
    scheduler: clock,
    ...more,
  });

describe('the overview', () => {
  it('returns counts with the age of the oldest, the amounts in unknown outcomes, and the alerts that fire', async () => {
    const overview = await overviewOf({
      openCounts: {
        unknownOutcomes: async () => ({ count: 1, oldestAt: ago(4_000) }),
        unknownAmounts: async () => [{ currency: 'USD' as Currency, minor: 1_100n }],
      },
      deliveries: { count: async ({ state }) => (state === 'waiting' ? { count: 10_000, oldestAt: ago(5) } : NONE) },
    }).overview({});
    expect(overview).toMatchObject({
      unavailable: [],
      unknownOutcomes: { count: 1, oldestSeconds: 4_000, amounts: [{ currency: 'USD', amount: '11.00' }] },
      callbacks: { waiting: { count: 10_000, isAtLeast: true, oldestSeconds: 5 }, exhausted: { count: 0, oldestAt: null } },
      alerts: [{ name: 'OutcomeUnknownForLong', runbook: 'docs/watch.md#outcomeunknownforlong', value: 4_000 }],
    });
  });

  it('counts a read model as behind if it is missing, or more than two seconds behind', async () => {
    const projections = [null, 0, 1, 2].map((behindSeconds) => ({ projection: `of ${behindSeconds}`, behindSeconds, state: behindSeconds === null ? 'missing' : 'behind' })); // prettier-ignore
    const state = { parked: async () => ({ streams: [] }), projections: async () => ({ projections }) as never };
    expect(await overviewOf({}, { state }).overview({})).toMatchObject({ projections: { behind: ['of null', 'of 2'], behindSeconds: 2 } });
  });

  it('shows what an admin did alone', async () => {
    const alone = [{ approvalId: 'a', isAlone: true }] as never;
    expect(await overviewOf({}, { lists: { actionsAlone: async () => alone } }).overview({})).toMatchObject({ actionsAlone: alone });
  });

  it('names a part whose store fails or does not answer, and returns the others', async () => {
    const asked = overviewOf({
      deliveries: { count: () => Promise.reject(new Error('away')) },
      disputes: { count: () => new Promise(() => undefined) },
    }).overview({});
    await clock.advance(2_000);
    const overview = await asked;
    expect([...overview.unavailable].sort()).toStrictEqual(['callbacks', 'disputes']);
    expect(overview).toMatchObject({ callbacks: null, disputes: null, unknownOutcomes: { count: 0 }, parkedStreams: { count: 0 } });
  });

  it("counts disputes by their due day, and asks for a limited operator's merchants only", async () => {
    const asked: unknown[] = [];
    const count = async (filter: { readonly merchants?: readonly string[] | undefined }) => {
      asked.push(filter.merchants);
      return { count: 1, oldestAt: undefined };
    };
    const overview = await overviewOf({
      openCounts: { unknownOutcomes: (merchants) => count({ merchants }), unknownAmounts: async () => [] },
      deliveries: { count },
      disputes: { count },
      reconciliationCases: { count },
    }).overview({ merchants: ['acme'] as MerchantLogin[] });
    expect(new Set(asked.map(String))).toStrictEqual(new Set(['acme']));
    expect(overview).toMatchObject({
      disputes: { overdue: 1, withinThreeDays: 1, later: 1, withoutDay: 1 },
      parkedStreams: null,
      log: null,
      unavailable: [],
    });
  });

  it('shows held gates and entry points without an alert of a circuit, and the configuration to an unlimited operator only', async () => {
    const gate = { alias: 'sim-a', adapter: 'simulator', circuit: 'closed', since: null, calls: 0, failures: 0, nextProbeAt: null, heldSince: '2026-01-01T00:00:00.000Z', heldBy: 'operator:kim' } as const; // prettier-ignore
    const held = [{ kind: 'gate', id: 'sim-a' }, { kind: 'endpoint', id: '1001' }].map((one) => ({ ...one, since: '', by: '' })) as HeldJson[]; // prettier-ignore
    const service = overviewOf({}, { gates: { states: () => [gate] }, switches: { held: () => held } });
    expect(await service.overview({})).toMatchObject({
      gatesOutOfRouting: [{ alias: 'sim-a' }],
      heldEndpoints: [{ id: '1001' }],
      configuration: { digest: 'd-1' },
      alerts: [],
    });
    expect(await service.overview({ merchants: ['acme'] as MerchantLogin[] })).toMatchObject({ configuration: null });
  });

  it('shows the last hour of orders by outcome and of the latency of each gate that the operator may see, by minute', async () => {
    const gate = (alias: string) => ({ alias, adapter: 'simulator', circuit: 'closed', since: null, calls: 0, failures: 0, nextProbeAt: null, heldSince: null, heldBy: null }) as const; // prettier-ignore
    const at = clock.now();
    const latency = [1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0];
    const call = { at, count: 2, outcome: 'approved', code: undefined, latency } as const;
    const calls = [{ ...call, gate: 'sim-a' }, { ...call, gate: 'sim-z' }, { ...call, gate: 'sim-b', latency: latency.map(() => 0) }]; // prettier-ignore
    const orders = [{ at, count: 3, outcome: 'declined' }, { at, count: 1, outcome: 'approved' }] as const; // prettier-ignore
    const asked: unknown[] = [];
    const overview = await overviewOf(
      { gateMinutes: { between: async (...[, , merchants]) => (asked.push(merchants), { orders, calls }) } },
      { gates: { states: () => [gate('sim-a'), gate('sim-b')] } },
    ).overview({ merchants: ['acme'] as MerchantLogin[] });
    const minute = new Date(at).toISOString();
    expect(asked).toStrictEqual([['acme']]);
    expect(overview.lastHour).toStrictEqual({
      orders: [{ at: minute, approved: 1, declined: 3, filtered: 0, error: 0 }],
      gates: [
        { alias: 'sim-a', minutes: [{ at: minute, calls: 2, p50Ms: 50, p95Ms: 500 }] },
        { alias: 'sim-b', minutes: [] },
      ],
    });
  });

  it('has the limits and runbooks of the alerts of Prometheus', () => {
    const file = parse(readFileSync(join(packageRoot(), 'deploy', 'prometheus', 'alerts.yml'), 'utf8')) as {
      readonly groups: readonly {
        readonly rules: readonly { readonly alert: string; readonly expr: string; readonly annotations: object }[];
      }[];
    };
    const rules = new Map(file.groups.flatMap(({ rules }) => rules.map((rule) => [rule.alert, rule] as const)));
    for (const [name, limit] of Object.entries(ALERT_LIMITS))
      expect([name, rules.get(name)]).toMatchObject([
        name,
        { expr: expect.stringMatching(new RegExp(`> ${limit}$`)) as string, annotations: { runbook: runbookOf(name) } },
      ]);
  });
});
