import { sql } from 'kysely';
import type { MerchantLogin } from '@app/kernel';
import { startPostgres, type Postgres } from '@app/databases/testing';
import type { ReadModelDatabase } from '../engine/database/database';
import type { Reader } from '../engine/reader';
import { postgresFixture } from '../testing/postgres-fixture';
import { statementsOf, visitedBy } from '../testing/query-plan';
import { sqliteFixture } from '../testing/sqlite-fixture';
import { DeliveryQueries, type DeliveryFilter } from './delivery.queries';
import { deliveries } from './delivery.table';

const ROWS = 40_000;
const LIMIT = 10;
const COUNTED = 50;
const ACME = 'acme' as MerchantLogin;
const UMBRELLA = 'umbrella' as MerchantLogin;

/** Nearly all rows are `acme`'s, delivered, and of one target. */
const FILTERS: readonly DeliveryFilter[] = [
  {},
  { state: 'failed' },
  { state: 'delivered', merchants: [ACME] },
  { state: 'failed', merchants: [ACME, UMBRELLA] },
  { merchants: [UMBRELLA] },
  { target: 'notification' },
  { since: (ROWS / 2) as DeliveryFilter['since'], until: (ROWS / 2 + 5) as DeliveryFilter['until'] },
];

const partsOf = ({ state, merchants, target }: DeliveryFilter): number =>
  (state === undefined ? 3 : state === 'failed' ? 2 : 1) * (merchants?.length ?? 1) * (target === undefined ? 3 : 1);

const fill = async ({ registry }: ReadModelDatabase, numbers: ReturnType<typeof sql>): Promise<void> => {
  const table = deliveries.table(1, false);
  await table.create(registry);
  await sql`insert into ${sql.table(deliveries.tableOf(1))} (stream, revision, merchant, target, status, since, view, checksum)
    select 'delivery-' || n, 0, case when n % 1000 = 0 then 'umbrella' else 'acme' end,
      case when n % 1000 = 1 then 'callback' else 'notify' end, case when n % 500 = 0 then 'exhausted' else 'delivered' end, n, '{}', 0
    from (${numbers}) as numbers`.execute(registry);
  await table.createIndexes(registry);
};

describe('DeliveryQueries on PostgreSQL', () => {
  let server: Postgres;
  let database: ReadModelDatabase;
  let remove: () => Promise<void>;

  beforeAll(async () => {
    server = await startPostgres();
    const place = await postgresFixture(server);
    database = await place.open();
    remove = place.remove;
    await fill(database, sql`select generate_series(1, ${ROWS}::integer) as n`);
    await sql`analyze ${sql.table(deliveries.tableOf(1))}`.execute(database.registry);
  });
  afterAll(async () => {
    await database.close();
    await remove();
    await server.stop();
  });

  it.each(FILTERS)('visits only the rows of the page and one page of each part of the index for %j', async (filter) => {
    const { reads } = database;
    const sent = await statementsOf(reads, (reader: Reader) => new DeliveryQueries(reader).page(filter, { limit: LIMIT }));
    expect(await visitedBy(reads, sent)).toBeLessThanOrEqual(partsOf(filter) * (LIMIT + 1) + LIMIT);
  });

  it.each(FILTERS)('counts at most the given number of rows in each part of the index for %j', async (filter) => {
    const { reads } = database;
    const sent = await statementsOf(reads, (reader: Reader) => new DeliveryQueries(reader).count(filter, undefined, COUNTED));
    expect(await visitedBy(reads, sent)).toBeLessThanOrEqual(partsOf(filter) * COUNTED);
  });
});

describe('DeliveryQueries on SQLite', () => {
  it.each(FILTERS)('searches an index in its order, without sorting its rows, for %j', async (filter) => {
    const place = await sqliteFixture();
    const database = await place.open();
    try {
      await fill(
        database,
        sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 5) select n from numbers`,
      );
      const { reads } = database;
      const sent = await statementsOf(reads, async (reader: Reader) => {
        await new DeliveryQueries(reader).page(filter, { limit: LIMIT });
        await new DeliveryQueries(reader).count(filter);
      });
      for (const statement of sent) {
        const { rows } = await reads.executeQuery<{ readonly detail: string }>({
          ...statement,
          sql: `explain query plan ${statement.sql}`,
        });
        const details = rows.map(({ detail }) => detail);
        expect(details.filter((detail) => detail.startsWith('SCAN deliveries'))).toStrictEqual([]);
        const sorted = details.filter((_, line) => details[line + 1]?.includes('TEMP B-TREE') === true);
        // Only the first rows of each part.
        expect(sorted.filter((detail) => detail !== 'SCAN part')).toStrictEqual([]);
      }
    } finally {
      await database.close();
      await place.remove();
    }
  });
});
