import { sql } from 'kysely';
import type { StreamName } from '@app/event-store';
import { startPostgres, type Postgres } from '@app/databases/testing';
import type { Instant } from '@app/kernel';
import { postgresFixture } from '../testing/postgres-fixture';
import { visitedBy } from '../testing/query-plan';
import { sqliteFixture } from '../testing/sqlite-fixture';
import type { ReadModelDatabase } from './database/database';
import { placesIn, type IndexParts, type ListPlace } from './index-parts';

const SHOPS = Array.from({ length: 25 }, (_, index) => `shop-${index}`);
const STATES = [0, 1];
const ROWS = 2_000;

/** Half of the rows are of one part; seven at a time have the same time. */
const ALL = Array.from({ length: ROWS }, (_, number) => ({
  shop: SHOPS[number % 2 === 0 ? 3 : number % SHOPS.length] ?? '',
  state: number % 2 === 0 ? 0 : number % 4 === 1 ? 1 : 0,
  place: { at: Math.floor(number / 7) as Instant, stream: `stream-${String(number).padStart(5, '0')}` as StreamName },
}));

type Question = Omit<IndexParts, 'table' | 'time'>;

const QUESTIONS: readonly (readonly [name: string, question: Question])[] = [
  ['many parts', { values: { shop: SHOPS, state: STATES } }],
  ['many parts, the newest first', { values: { shop: SHOPS, state: STATES }, isNewestFirst: true }],
  ['many parts in a period', { values: { shop: SHOPS, state: [1] }, since: 50, until: 200 }],
  ['few parts', { values: { shop: ['shop-3', 'shop-4'], state: STATES }, isNewestFirst: true }],
  ['parts without rows', { values: { shop: ['none', ...SHOPS], state: STATES }, until: 3 }],
  ['no part', { values: { shop: [], state: STATES } }],
  ['a whole index', { values: {} }],
];

const expected = ({ values, since = -1, until = Infinity, isNewestFirst }: Question): readonly ListPlace[] => {
  const { shop = SHOPS, state = STATES } = values;
  const meant = ALL.filter((row) => shop.includes(row.shop) && state.includes(row.state) && row.place.at >= since && row.place.at < until);
  const places = meant.map(({ place }) => place);
  return isNewestFirst === true ? places.toReversed() : places;
};

const pagesOf = async ({ reads }: ReadModelDatabase, question: Question, limit: number): Promise<readonly ListPlace[]> => {
  const places: ListPlace[] = [];
  for (;;) {
    const page = await placesIn(reads, { ...question, table: 'things', time: 'at', after: places.at(-1) }, limit);
    places.push(...page);
    if (page.length < limit) return places;
  }
};

const fill = async ({ registry }: ReadModelDatabase): Promise<void> => {
  await sql`create table things (shop text not null, state bigint not null, at bigint not null, stream text not null)`.execute(registry);
  await sql`create index things_parts on things (shop, state, at, stream)`.execute(registry);
  await sql`create index things_places on things (at, stream)`.execute(registry);
  const rows = ALL.map(({ shop, state, place: { at, stream } }) => sql`(${shop}, ${state}, ${at}, ${stream})`);
  await sql`insert into things (shop, state, at, stream) values ${sql.join(rows)}`.execute(registry);
};

describe.each(['SQLite', 'PostgreSQL'])('placesIn on %s', (store) => {
  let server: Postgres | undefined;
  let database: ReadModelDatabase;
  let remove: () => Promise<void>;

  beforeAll(async () => {
    server = store === 'SQLite' ? undefined : await startPostgres();
    const place = await (server === undefined ? sqliteFixture() : postgresFixture(server));
    database = await place.open();
    remove = place.remove;
    await fill(database);
    if (server !== undefined) await sql`analyze things`.execute(database.registry);
  });
  afterAll(async () => {
    await database.close();
    await remove();
    await server?.stop();
  });

  it.each(QUESTIONS)('lists the places of %s in order, page by page', async (_name, question) => {
    for (const limit of [7, 40, 500]) await expect(pagesOf(database, question, limit)).resolves.toStrictEqual(expected(question));
  });

  if (store === 'PostgreSQL')
    it('visits few rows of each part if there are many', async () => {
      const { reads } = database;
      const executor = jest.spyOn(reads.getExecutor(), 'executeQuery');
      await placesIn(reads, { values: { shop: SHOPS, state: STATES }, table: 'things', time: 'at' }, 100);
      const sent = executor.mock.calls.map(([query]) => query);
      executor.mockRestore();
      expect(await visitedBy(reads, sent)).toBeLessThan(2 * SHOPS.length * STATES.length * 4 + 3 * 100);
    });
});
