import { sql } from 'kysely';
import type { MerchantLogin } from '@app/kernel';
import { startPostgres, type Postgres } from '@app/databases/testing';
import type { ReadModelDatabase } from '../engine/database/database';
import { postgresFixture } from '../testing/postgres-fixture';
import type { ReadModelFixture } from '../testing/read-model.contract';
import { statementsOf, visitedBy } from '../testing/query-plan';
import { sqliteFixture } from '../testing/sqlite-fixture';
import { OperatorOrderQueries } from './operator-orders.queries';
import { orderStatuses } from './order-status.table';

const GENERATION = 1;
const OTHERS = 5_000;
const OWN = 3;
const LIMIT = 10;
const ACME = 'acme' as MerchantLogin;
const UMBRELLA = 'umbrella' as MerchantLogin;

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

const withUnknown = async (
  fixture: () => Promise<ReadModelFixture>,
  look: (database: ReadModelDatabase) => Promise<void>,
): Promise<void> => {
  const place = await fixture();
  const database = await place.open();
  try {
    await orderStatuses.table(GENERATION, false).create(database.registry);
    await orderStatuses.table(GENERATION, false).createIndexes(database.registry);
    const rows = Array.from({ length: OTHERS + OWN }, (_, number) => {
      const merchant = number < OTHERS ? 'umbrella' : ACME;
      return sql`(${`payment-${number}`}, 0, ${merchant}, 'payment', ${`c-${number}`}, ${`o-${number}`}, 'unknown', ${number}, ${number}, ${number}, 1000, 'USD', '{}', 0)`;
    });
    for (let from = 0; from < rows.length; from += 500) {
      await sql`insert into ${sql.table(orderStatuses.tableOf(GENERATION))}
        (stream, revision, merchant, kind, client_order_id, order_id, status, created_at, updated_at, unknown_since, unknown_minor, currency, view, checksum)
        values ${sql.join(rows.slice(from, from + 500))}`.execute(database.registry);
    }
    await look(database);
  } finally {
    await database.close();
    await place.remove();
  }
};

describe('cost of listing orders with an unknown outcome', () => {
  it.each<[string, readonly MerchantLogin[] | undefined, string]>([
    ['of one merchant', [ACME], 'SEARCH order_status_g1 USING COVERING INDEX order_status_g1_unknown_of (merchant=? AND unknown_since>?)'],
    [
      'of several merchants',
      [ACME, UMBRELLA],
      'SEARCH order_status_g1 USING COVERING INDEX order_status_g1_unknown_of (merchant=? AND unknown_since>?)',
    ],
    ['of all', undefined, 'SEARCH order_status_g1 USING COVERING INDEX order_status_g1_unknown (unknown_since>?)'],
  ])('on SQLite: the list %s uses an index in its order', async (_whose, merchants, plan) => {
    await withUnknown(sqliteFixture, async ({ reads }) => {
      const details: string[] = [];
      for (const sent of await statementsOf(reads, (reader) => new OperatorOrderQueries(reader).unknown(merchants, { limit: LIMIT }))) {
        const { rows } = await reads.executeQuery<{ readonly detail: string }>({ ...sent, sql: `explain query plan ${sent.sql}` });
        details.push(...rows.map(({ detail }) => detail));
      }
      expect(details.find((detail) => detail.includes('order_status_g1'))).toBe(plan);
    });
  });

  it.each<[string, readonly MerchantLogin[] | undefined, number]>([
    ['of one merchant', [ACME], 3 * OWN],
    ['of all', undefined, LIMIT + 1 + 2 * LIMIT],
  ])(
    'on PostgreSQL: the list %s visits no more rows than its places and, in a bitmap twice, the page',
    async (_whose, merchants, visited) => {
      await withUnknown(
        () => postgresFixture(server),
        async ({ registry, reads }) => {
          await sql`analyze`.execute(registry);
          const sent = await statementsOf(reads, (reader) => new OperatorOrderQueries(reader).unknown(merchants, { limit: LIMIT }));
          expect(await visitedBy(reads, sent)).toBeLessThanOrEqual(visited);
        },
      );
    },
  );
});
