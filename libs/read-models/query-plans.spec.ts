import { sql, type RawBuilder } from 'kysely';
import type { Instant, MerchantLogin } from '@app/kernel';
import { startPostgres, type Postgres } from '@app/databases/testing';
import { ActivityQueries } from './activity/activity.queries';
import { activity } from './activity/activity.table';
import { ApprovalQueries } from './approvals/approval.queries';
import { approvals } from './approvals/approval.table';
import type { ReadModelDatabase } from './engine/database/database';
import type { Projection } from './engine/projection';
import type { Reader } from './engine/reader';
import { DisputeQueries } from './order-status/dispute.queries';
import { NO_DAY } from './order-status/order-disputes';
import { orderStatuses } from './order-status/order-status.table';
import { gateAttempts } from './reconciliation/gate-attempts.table';
import { gateMinutes, LATENCY_COUNTERS, MINUTE_MS } from './reconciliation/gate-minutes';
import { GateMinutesQueries } from './reconciliation/gate-minutes.queries';
import { ReconciliationCaseQueries } from './reconciliation/reconciliation-case.queries';
import { reconciliationCases } from './reconciliation/reconciliation-case.table';
import { postgresFixture } from './testing/postgres-fixture';
import { statementsOf, visitedBy } from './testing/query-plan';
import { sqliteFixture } from './testing/sqlite-fixture';
import { OpenCountQueries } from './work/open-counts.queries';

const ROWS = 20_000;
const FEW = 20;
const LIMIT = 10;
const ACME = 'acme' as MerchantLogin;
const UMBRELLA = 'umbrella' as MerchantLogin;
const at = (time: number) => time as Instant;
const MINUTES = ROWS / 4;
const LAST_HOUR = [at((MINUTES - 60) * MINUTE_MS), at(MINUTES * MINUTE_MS)] as const;

/** Nearly all rows are `acme`'s. One row in a thousand is open, of `umbrella`, or of `kim`. */
const isRare = sql`n % 1000 = 0`;
const merchant = sql`case when ${isRare} then 'umbrella' else 'acme' end`;

const fillings = (numbers: RawBuilder<unknown>): readonly RawBuilder<unknown>[] => [
  sql`insert into ${sql.table(orderStatuses.tableOf(1))}
    (stream, revision, merchant, kind, client_order_id, order_id, status, created_at, updated_at, unknown_since, unknown_minor, currency, dispute, dispute_at, view, checksum)
    select 'payment-' || n, 0, ${merchant}, 'payment', 'c-' || n, 'o-' || n, 'approved', n, n,
      case when ${isRare} then n end, case when ${isRare} then 1 else 0 end, 'EUR', case when ${isRare} then 'open' when n % 3 = 0 then 'over' end, case when n % 3 = 0 or ${isRare} then n end, '{}', 0
    from (${numbers}) as numbers`,
  sql`insert into ${sql.table(activity.tableOf(1))} (key, at, kind, actor, name, target, action_id)
    select 'operator-' || n, n, case when n % 2 = 0 then 'query' else 'action' end, case when ${isRare} then 'operator:kim' else 'operator:lee' end,
      case when ${isRare} then 'show-order' else 'list-orders' end, case when ${isRare} then 'order-1' end, case when n % 2 = 1 then 'action-' || n end
    from (${numbers}) as numbers`,
  sql`insert into ${sql.table(approvals.tableOf(1))} (stream, revision, merchant, proposer, status, since, is_alone, view, checksum)
    select 'approval-' || n, 0, ${merchant}, case when ${isRare} then 'kim' else 'lee' end, case when ${isRare} then 'waiting' else 'done' end,
      n, case when ${isRare} then 1 else 0 end, '{}', 0
    from (${numbers}) as numbers`,
  sql`insert into ${sql.table(gateMinutes.tableOf(gateAttempts.tableOf(1)))} (merchant, at, gate, outcome, code, calls, ${sql.join(LATENCY_COUNTERS.map((name) => sql.ref(name)))})
    select case n % 4 when 0 then 'umbrella' when 1 then 'acme' else '' end, n / 4 * ${sql.lit(MINUTE_MS)}, case n % 4 when 3 then '' else 'sim-a' end, 'approved', 0, 1,
      ${sql.join(LATENCY_COUNTERS.map(() => sql`1`))}
    from (${numbers}) as numbers`,
];

const PROJECTIONS: readonly Projection[] = [orderStatuses, activity, approvals, gateAttempts, reconciliationCases];

const fill = async ({ registry }: ReadModelDatabase, numbers: RawBuilder<unknown>): Promise<void> => {
  for (const { table } of PROJECTIONS) await table(1, false).create(registry);
  for (const filling of fillings(numbers)) await filling.execute(registry);
  for (const { table } of PROJECTIONS) await table(1, false).createIndexes(registry);
};

const page = { limit: LIMIT };
/** By name, with the rows that PostgreSQL may visit: a page of each part of the index, and the rows of the page; a bitmap scan counts them twice. */
const QUERIES: readonly (readonly [name: string, visited: number, ask: (reader: Reader) => Promise<unknown>])[] = [
  ['activity of all', 7 * (LIMIT + 1), (reader) => new ActivityQueries(reader).page({}, page)],
  ['activity of one kind', 2 * (LIMIT + 1), (reader) => new ActivityQueries(reader).page({ kind: 'query' }, page)],
  ['activity of a person', 7 * (LIMIT + 1), (reader) => new ActivityQueries(reader).page({ actor: 'operator:kim' }, page)],
  ['activity by name', 7 * (LIMIT + 1), (reader) => new ActivityQueries(reader).page({ name: 'show-order' }, page)],
  [
    'activity of a person by name, in a period',
    7 * (LIMIT + 1),
    (reader) => new ActivityQueries(reader).page({ actor: 'operator:lee', name: 'list-orders', since: at(100), until: at(200) }, page),
  ],
  ['activity about an order', 7 * FEW, (reader) => new ActivityQueries(reader).page({ target: 'order-1' }, page)],
  ['open disputes', 2 * (LIMIT + 1), (reader) => new DisputeQueries(reader).page({ state: 'open' }, page)],
  [
    'disputes that are over, of merchants',
    3 * (LIMIT + 1),
    (reader) => new DisputeQueries(reader).page({ state: 'over', merchants: [ACME, UMBRELLA] }, page),
  ],
  ['disputes of a period', 2 * (LIMIT + 1), (reader) => new DisputeQueries(reader).page({ state: 'over', since: 300, until: 400 }, page)],
  ['the count of disputes by due day', FEW + 1, (reader) => new DisputeQueries(reader).count({ state: 'open', since: 0, until: NO_DAY })],
  ['the count of disputes of a merchant', FEW + 1, (reader) => new DisputeQueries(reader).count({ state: 'open', merchants: [UMBRELLA] })],
  [
    'waiting approvals',
    2 * (LIMIT + 1),
    (reader) => new ApprovalQueries(reader).page({ statuses: ['waiting'] }, { ...page, isNewestFirst: false }),
  ],
  [
    'approvals of merchants',
    5 * (LIMIT + 1),
    (reader) =>
      new ApprovalQueries(reader).page({ statuses: ['waiting', 'done'], merchants: [ACME, UMBRELLA] }, { ...page, isNewestFirst: true }),
  ],
  [
    'approvals of a proposer',
    2 * (LIMIT + 1),
    (reader) => new ApprovalQueries(reader).page({ statuses: ['waiting'], proposer: 'kim' }, { ...page, isNewestFirst: true }),
  ],
  ['actions taken alone', 2 * (LIMIT + 1), (reader) => new ApprovalQueries(reader).alone(at(0), page)],
  [
    'actions taken alone for merchants',
    3 * (LIMIT + 1) + LIMIT,
    (reader) => new ApprovalQueries(reader).alone(at(0), { ...page, merchants: [ACME, UMBRELLA] }),
  ],
  ['the count of unknown outcomes', FEW + 1, (reader) => new OpenCountQueries(reader).unknownOutcomes()],
  ['the sums of unknown outcomes', FEW, (reader) => new OpenCountQueries(reader).unknownAmounts()],
  ['the sums of unknown outcomes of a merchant', FEW, (reader) => new OpenCountQueries(reader).unknownAmounts([UMBRELLA])],
  ['the count of unknown outcomes of a merchant', FEW + 1, (reader) => new OpenCountQueries(reader).unknownOutcomes([UMBRELLA])],
  ['the last hour', 4 * 60, (reader) => new GateMinutesQueries(reader).between(...LAST_HOUR)],
  ['the last hour of merchants', 4 * 60, (reader) => new GateMinutesQueries(reader).between(...LAST_HOUR, [ACME, UMBRELLA])],
];

describe('queries of operators on PostgreSQL', () => {
  let server: Postgres;
  let database: ReadModelDatabase;
  let remove: () => Promise<void>;

  beforeAll(async () => {
    server = await startPostgres();
    const place = await postgresFixture(server);
    database = await place.open();
    remove = place.remove;
    await fill(database, sql`select generate_series(0, ${ROWS - 1}::integer) as n`);
    await sql`analyze`.execute(database.registry);
  });
  afterAll(async () => {
    await database.close();
    await remove();
    await server.stop();
  });

  it.each(QUERIES)('%s: at most %d rows are visited', async (_name, visited, ask) => {
    const { reads } = database;
    expect(await visitedBy(reads, await statementsOf(reads, ask))).toBeLessThanOrEqual(visited);
  });
});

describe('queries of operators on SQLite', () => {
  let database: ReadModelDatabase;
  let remove: () => Promise<void>;

  beforeAll(async () => {
    const place = await sqliteFixture();
    database = await place.open();
    remove = place.remove;
    await fill(
      database,
      sql`with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < 5) select n from numbers`,
    );
  });
  afterAll(async () => {
    await database.close();
    await remove();
  });

  it.each(QUERIES)('%s: an index is searched', async (_name, _visited, ask) => {
    const { reads } = database;
    for (const statement of await statementsOf(reads, ask)) {
      const question = { ...statement, sql: `explain query plan ${statement.sql}` };
      const { rows } = await reads.executeQuery<{ readonly detail: string }>(question);
      expect(rows.filter(({ detail }) => /^SCAN \w+_g1(?!.* USING INDEX)/.test(detail))).toStrictEqual([]);
    }
  });

  it.each<[string, string, (reader: Reader) => Promise<unknown>]>([
    ['outcomes of the actions of a page', 'activity_g1_outcome', (reader) => new ActivityQueries(reader).page({}, page)],
    [
      'counts of unknown outcomes of merchants',
      'order_status_g1_unknown_of',
      (reader) => new OpenCountQueries(reader).unknownOutcomes([ACME, UMBRELLA]),
    ],
    ['counts of open cases', 'reconciliation_cases_g1_open', (reader) => new ReconciliationCaseQueries(reader).open()],
  ])('%s: the small index %s is used', async (_name, index, ask) => {
    const { reads } = database;
    const plans: string[] = [];
    for (const statement of await statementsOf(reads, ask)) {
      const { rows } = await reads.executeQuery<{ readonly detail: string }>({ ...statement, sql: `explain query plan ${statement.sql}` });
      plans.push(...rows.map(({ detail }) => detail));
    }
    expect(plans.join(' ')).toContain(index);
  });
});
