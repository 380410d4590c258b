import { sql } from 'kysely';
import type { StreamName } from '@app/event-store';
import type { MerchantLogin } from '@app/kernel';
import { startPostgres, type Postgres } from '@app/databases/testing';
import type { ReadModelDatabase } from '../engine/database/database';
import type { Reader } from '../engine/reader';
import { postgresFixture } from '../testing/postgres-fixture';
import { statementsOf, visitedBy } from '../testing/query-plan';
import { ORDER_SEARCH, orderSearch } from './order-search.table';
import { orderStatuses } from '../order-status/order-status.table';
import { LOOKED_AT_FIRST_FACTOR, orderListTable, OrderListQueries, type ListAsked } from './order-list.queries';
import type { OrderListFilter } from './order-list.filter';

const GENERATION = 1;
const ORDERS = 40_000;
const UNKNOWN = 50;
const LIMIT = 10;
const LOOKED_AT = 500;
const ACME = 'acme' as MerchantLogin;

let server: Postgres;
let database: ReadModelDatabase;
let remove: () => Promise<void>;

beforeAll(async () => {
  server = await startPostgres();
  const place = await postgresFixture(server);
  database = await place.open();
  remove = place.remove;
  const { registry } = database;
  for (const projection of [orderStatuses, orderSearch]) {
    const table = projection.table(GENERATION, false);
    await table.create(registry);
    await sql`insert into ${sql.table(orderStatuses.tableOf(GENERATION))}
      (stream, revision, merchant, kind, client_order_id, order_id, status, created_at, updated_at, unknown_since, unknown_minor, currency, view, checksum)
      select 'payment-' || n, 0, 'acme', 'payment', 'c-' || n, 'o-' || n, 'approved', n, n, null, 0, 'USD', '{}', 0
      from generate_series(1, ${projection.name === ORDER_SEARCH ? 0 : ORDERS}::integer) as n`.execute(registry);
  }
  await sql`insert into ${sql.table(orderListTable(GENERATION))}
    (created_at, stream, updated_at, merchant, endpoint_id, kind, operation, status, stage, currency, amount_minor, gate, code, is_usual)
    select n, 'payment-' || n, n, 'acme', '1001', 'payment', 'sale', case when n <= ${UNKNOWN} then 'unknown' else 'approved' end,
      case when n <= ${UNKNOWN} then 'sale_unknown' else 'sale_approved' end, 'USD', 1000, 'sim-a', null, case when n <= ${UNKNOWN} then 0 else 1 end
    from generate_series(1, ${ORDERS}::integer) as n`.execute(registry);
  for (const projection of [orderStatuses, orderSearch]) await projection.table(GENERATION, false).createIndexes(registry);
  for (const name of [orderStatuses.tableOf(GENERATION), orderListTable(GENERATION)])
    await sql`analyze ${sql.table(name)}`.execute(registry);
});
afterAll(async () => {
  await database.close();
  await remove();
  await server.stop();
});

const visitedFor = async (filter: OrderListFilter, asked: Partial<ListAsked>): Promise<number> => {
  const { reads } = database;
  const ask = (reader: Reader) => new OrderListQueries(reader).page(filter, { limit: LIMIT, lookedAtMax: LOOKED_AT, ...asked });
  return visitedBy(reads, await statementsOf(reads, ask));
};

const SHOWN = 2 * (LIMIT + 1);
const LOOKED_AT_FIRST = LOOKED_AT_FIRST_FACTOR * LIMIT;
const WITHOUT_RESULT = 2 * LOOKED_AT_FIRST + 2 * LOOKED_AT;

describe('OrderListQueries.page on PostgreSQL', () => {
  it.each<[string, OrderListFilter, number]>([
    ['a query without a filter', {}, SHOWN],
    ['a merchant that has all orders', { merchant: ACME }, SHOWN],
    ['a rare status', { status: 'unknown' }, SHOWN],
    ['a rare stage', { stage: 'sale_unknown' }, SHOWN],
    ['a code without orders', { code: 116 }, 0],
    ['a time before all orders', { createdTo: 1 as OrderListFilter['createdTo'] & number }, 0],
    ['the status of nearly all orders', { status: 'approved' }, LOOKED_AT_FIRST + SHOWN],
    ['a gate without orders', { gate: 'none' as OrderListFilter['gate'] & string }, WITHOUT_RESULT],
    ['a merchant and a gate without orders', { merchant: ACME, gate: 'none' as OrderListFilter['gate'] & string }, WITHOUT_RESULT],
    ['an amount without orders', { amountFrom: 5n, amountTo: 5n }, WITHOUT_RESULT],
    ['a time after the last change', { updatedFrom: 99_999_999 as OrderListFilter['updatedFrom'] & number }, WITHOUT_RESULT],
  ])('visits only the returned rows and the allowed number of other rows for %s', async (_, filter, expected) => {
    await expect(visitedFor(filter, {})).resolves.toBe(expected);
  });

  it('visits only the named orders', async () => {
    const streams = ['payment-7', 'payment-30000'] as StreamName[];
    await expect(visitedFor({}, { named: { streams } })).resolves.toBeLessThanOrEqual(2 * streams.length * 2);
  });
});
