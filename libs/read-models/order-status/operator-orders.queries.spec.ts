import { sql, type CompiledQuery } from 'kysely';
import type { MerchantLogin } from '@app/kernel';
import { startPostgres, type Postgres } from '@app/databases/testing';
import type { ReadModelDatabase } from '../engine/database/database';
import { postgresFixture } from '../testing/postgres-fixture';
import type { ReadModelFixture } from '../testing/read-model.contract';
import { rowsVisited, type PlanNode } from '../testing/query-plan';
import { sqliteFixture } from '../testing/sqlite-fixture';
import { unknownRows } from './operator-orders.queries';
import { orderStatuses } from './order-status.table';

const GENERATION = 1;
const OTHERS = 5_000;
const OWN = 3;
const LIMIT = 10;
const ACME = 'acme' as MerchantLogin;

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
      return sql`(${`payment-${number}`}, 0, ${merchant}, 'payment', ${`c-${number}`}, ${`o-${number}`}, 'unknown', ${number}, ${number}, 1, '{}', 0)`;
    });
    for (let from = 0; from < rows.length; from += 500) {
      await sql`insert into ${sql.table(orderStatuses.tableOf(GENERATION))}
        (stream, revision, merchant, kind, client_order_id, order_id, status, created_at, updated_at, unknown_outcomes, view, checksum)
        values ${sql.join(rows.slice(from, from + 500))}`.execute(database.registry);
    }
    await look(database);
  } finally {
    await database.close();
    await place.remove();
  }
};

const explained = (query: CompiledQuery, explain: string): CompiledQuery => ({ ...query, sql: `${explain} ${query.sql}` });

describe('cost of listing orders with an unknown outcome', () => {
  it.each([
    ['of one merchant', ACME, 'SEARCH order_status_g1 USING INDEX order_status_g1_unknown_of (merchant=?)'],
    ['of all', undefined, 'SCAN order_status_g1 USING INDEX order_status_g1_unknown'],
  ])('on SQLite: the list %s uses an index in its order', async (_whose, merchant, plan) => {
    await withUnknown(sqliteFixture, async ({ reads }) => {
      const question = explained(unknownRows(reads, GENERATION, LIMIT, merchant && [merchant]).compile(), 'explain query plan');
      const { rows } = await reads.executeQuery<{ readonly detail: string }>(question);
      expect(rows.map(({ detail }) => detail)).toStrictEqual([plan]);
    });
  });

  it.each([
    ['of one merchant', ACME, OWN],
    ['of all', undefined, LIMIT],
  ])('on PostgreSQL: the list %s visits no more rows than it returns', async (_whose, merchant, visited) => {
    await withUnknown(
      () => postgresFixture(server),
      async ({ registry, reads }) => {
        await sql`analyze`.execute(registry);
        const question = explained(
          unknownRows(reads, GENERATION, LIMIT, merchant && [merchant]).compile(),
          'explain (analyze, format json)',
        );
        const { rows } = await reads.executeQuery<{ readonly 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(question);
        const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
        expect(plan && rowsVisited(plan)).toBe(visited);
      },
    );
  });
});
