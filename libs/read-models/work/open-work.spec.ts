import { sql, type CompiledQuery } from 'kysely';
import type { WorkChange } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { openWorkContract } from '@app/event-store/testing';
import { addMs, type MerchantLogin } from '@app/kernel';
import { startPostgres, type Postgres } from '@app/databases/testing';
import { VirtualClock } from '@app/testing';
import type { ReadModelDatabase } from '../engine/database/database';
import { BulkLower } from '../engine/rebuild/bulk-statements';
import type { Db } from '../engine/database/tables';
import { START } from '../testing/sample-orders';
import { openWorkOver, PLAIN_WORK } from '../testing/open-work-fixture';
import { postgresFixture } from '../testing/postgres-fixture';
import type { ReadModelFixture } from '../testing/read-model.contract';
import { rowsVisited, type PlanNode } from '../testing/query-plan';
import { sqliteFixture } from '../testing/sqlite-fixture';
import { OpenWorkStatements } from './open-work.store';
import { openWorkProjection } from './open-work.table';

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

const stores = [
  ['SQLite', sqliteFixture],
  ['PostgreSQL', () => postgresFixture(server)],
] as const;

const opened = async (fixture: () => Promise<ReadModelFixture>) => {
  const place = await fixture();
  const database = await place.open();
  const log = new MemoryEventStore(new VirtualClock());
  const { work, apply, close } = await openWorkOver(database, log);
  const end = async (): Promise<void> => {
    await close();
    await log.close();
    await place.remove();
  };
  return { database, work, apply, close: end };
};

for (const [name, fixture] of stores) openWorkContract(name, () => opened(fixture));

const LANES = 3_000;
const item = (key: string, lane: string, dueInMs: number): WorkChange => {
  const item = {
    key,
    stream: `payment-${key}` as never,
    task: 'submit',
    dueAt: addMs(START, dueInMs),
    merchant: 'acme' as MerchantLogin,
    lane,
  };
  return { kind: 'due', item };
};

const backlog = (waiting: number): readonly WorkChange[] => [
  ...Array.from({ length: waiting }, (_, number) => item(`full-${number}`, 'full', -waiting + number)),
  ...Array.from({ length: LANES }, (_, number) => item(`few-${number}`, `few-${number}`, number % 2 === 0 ? -1 : 60_000)),
];

const asked = (database: ReadModelDatabase): Readonly<Record<string, CompiledQuery>> => {
  const statements = new OpenWorkStatements(PLAIN_WORK, 1);
  const lanes = Array.from({ length: 32 }, (_, number) => ({ lane: `few-${number}` }));
  const { reads } = database;
  return {
    'the first lanes': statements.dueLanes(reads, START, 10),
    'the lanes behind others': statements.dueLanes(reads, START, 10, { lane: 'few-2', since: addMs(START, -1) }),
    'the first items of the full lane': statements.firstOf(reads, [{ lane: 'full' }], 100),
    'the items of the full lane after a place': statements.firstOf(
      reads,
      [{ lane: 'full', after: { key: 'full-90', dueAt: addMs(START, -10) } }],
      100,
    ),
    'the first items of many lanes': statements.firstOf(reads, lanes, 4),
  };
};

describe('resting lane on PostgreSQL while its items are written', () => {
  const first = { lane: 'a', dueAt: addMs(START, -5) };
  const write = (db: Db): Promise<unknown> =>
    sql`insert into open_work_plain_g1 (key, stream, task, due_at, merchant, lane)
      values ('new', 'payment-new', 'submit', ${first.dueAt}::bigint, 'acme', 'a')`
      .execute(db)
      .then(() => new BulkLower('open_work_plain_g1_lanes', 'lane', 'due_at').run(db, new Map([[first.lane, first.dueAt]])));

  it('is left unchanged without waiting', async () => {
    const { database, work, apply, close } = await opened(() => postgresFixture(server));
    try {
      await apply([item('old', 'a', -5), item('other', 'b', -1)]);
      await apply([
        { kind: 'done', key: 'old' },
        { kind: 'done', key: 'other' },
      ]);
      await database.writes.transaction().execute(async (projecting) => {
        await write(projecting);
        await work.rest(['a', 'b']);
      });
      await expect(work.dueLanes(START, 10)).resolves.toMatchObject({ lanes: [{ lane: 'a', since: first.dueAt }] });
      await expect(work.firstOf([{ lane: 'a' }], 10)).resolves.toMatchObject([{ key: 'new' }]);
    } finally {
      await close();
    }
  });

  it('gets the due time of the new items if it rested before they were written', async () => {
    const { database, work, apply, close } = await opened(() => postgresFixture(server));
    try {
      await apply([item('old', 'a', -5)]);
      await apply([{ kind: 'done', key: 'old' }]);
      await work.rest(['a']);
      await expect(work.dueLanes(START, 10)).resolves.toMatchObject({ lanes: [] });
      await database.writes.transaction().execute(write);
      await expect(work.dueLanes(START, 10)).resolves.toMatchObject({ lanes: [{ lane: 'a', since: first.dueAt }] });
    } finally {
      await close();
    }
  });
});

describe.each(stores)('work on %s whose event was recorded before the clock was set back', (_name, fixture) => {
  const HOUR_MS = 3_600_000;

  it('is due after the delay recorded in its event, counted from its projection', async () => {
    const { work, apply, close } = await opened(fixture);
    try {
      const ofThen = (dueInMs: number, key: string) => [item(key, 'a', HOUR_MS + dueInMs)];
      await apply(ofThen(30_000, 'later'), addMs(START, HOUR_MS));
      await apply(ofThen(-1, 'past'), addMs(START, HOUR_MS));
      await apply([item('of now', 'a', HOUR_MS)]);
      const due = (await work.list({ limit: 10 })).map(({ key, dueAt }) => [key, dueAt - START]);
      expect(due).toStrictEqual([
        ['later', 30_000],
        ['of now', HOUR_MS],
        ['past', 0],
      ]);
    } finally {
      await close();
    }
  });
});

describe('cost of queries of open work', () => {
  it('on PostgreSQL: the rows visited grow neither with the waiting items nor with the lanes', async () => {
    const visited: Record<string, number>[] = [];
    const claims: number[] = [];
    for (const [waiting, isAnalyzed] of [
      [500, false],
      [20_000, true],
    ] as const) {
      const { database, work, apply, close } = await opened(() => postgresFixture(server));
      try {
        await apply(backlog(waiting));
        if (isAnalyzed) await sql`analyze`.execute(database.registry);
        const counts: Record<string, number> = {};
        const items = await work.firstOf([{ lane: 'full' }], 200);
        const claim = new OpenWorkStatements(PLAIN_WORK, 1).claim(database.writes, items, addMs(START, 60_000));
        for (const [what, question] of Object.entries({ ...asked(database), claim })) {
          const explained = { ...question, sql: `explain (analyze, format json) ${question.sql}` };
          const { rows } = await database.writes.executeQuery<{ readonly 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(explained);
          const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
          if (plan === undefined) throw new Error('no plan');
          counts[what] = rowsVisited(plan);
        }
        const { claim: claimed, ...others } = counts;
        visited.push(others);
        claims.push(claimed ?? Infinity);
      } finally {
        await close();
      }
    }
    const each = {
      'the first lanes': 11,
      'the lanes behind others': 11,
      'the first items of the full lane': 100,
      'the items of the full lane after a place': 9,
      'the first items of many lanes': 32,
    };
    expect(visited).toStrictEqual([each, each]);
    expect(Math.max(...claims)).toBeLessThan(2_000);
  }, 60_000);

  it('on SQLite: each query uses an index in its order and stops at its limit', async () => {
    const { database, close } = await opened(sqliteFixture);
    try {
      const plans: Record<string, readonly string[]> = {};
      for (const [what, question] of Object.entries(asked(database))) {
        const explained = { ...question, sql: `explain query plan ${question.sql}` };
        const { rows } = await database.reads.executeQuery<{ readonly detail: string }>(explained);
        const details = rows.map(({ detail }) => detail);
        plans[what] = details.filter((detail) => /^(SEARCH|SCAN) (?!asked|due|next)/.test(detail));
        expect(details.findLastIndex((detail) => detail.startsWith('USE TEMP B-TREE'))).toBe(details.length - 1);
      }
      const turns = 'SEARCH open_work_plain_g1_lanes USING COVERING INDEX open_work_plain_g1_turns';
      const lanes = [`${turns} ((due_at,lane)>(?,?) AND due_at<?)`, `${turns} (due_at>? AND due_at<?)`];
      const items = [
        'SEARCH work USING PRIMARY KEY (key=?)',
        'SEARCH first USING COVERING INDEX open_work_plain_g1_first (lane=? AND (due_at,key)>(?,?))',
      ];
      expect(plans).toStrictEqual({
        'the first lanes': lanes,
        'the lanes behind others': lanes,
        'the first items of the full lane': items,
        'the items of the full lane after a place': items,
        'the first items of many lanes': items,
      });
    } finally {
      await close();
    }
  });
});

describe('definition of open work', () => {
  it.each(['', 'Orders', 'orders-1', '_orders', 'orders; drop table', 'o'.repeat(32)])('cannot be named %j', (name) => {
    expect(() => openWorkProjection({ name, categories: ['payment'], shape: 1, fold: () => [] }, { now: () => START })).toThrow(
      `open work cannot be named ${JSON.stringify(name)}`,
    );
  });
});
