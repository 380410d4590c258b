import { join } from 'node:path';
import { createTestDatabase, startPostgres } from '@app/postgres/testing';
import { ratioOf, type Figure, type Findings } from '../harness/figure';
import { askOnce } from '../harness/program';
import { ROUNDS } from '../harness/rounds';
import { inWorkFolder } from '../harness/work-folder';
import { rateOf, type Timed } from '../load/appends';
import { EVENTS_PER_ORDER, type Fill, type Filled } from '../load/filled-log';
import type { Asked, PostgresProjection } from '../programs/postgres-projection.program';

const ORDERS = 10_000;
const ORDERS_ASKED = 200;
const STATUSES = 4_000;
const FILL_TIMEOUT_MS = 600_000;
const TIMEOUT_MS = 300_000;

/** Measures read models on PostgreSQL: keeping up with the log, and answering. */
export const postgresProjection = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const server = await startPostgres();
    try {
      const dataDir = folder.folder('filled');
      const { sample } = await askOnce<Fill, Filled>('fill-log', { dataDir, orders: ORDERS, sample: ORDERS_ASKED }, FILL_TIMEOUT_MS);
      const orderIds = sample.map(({ orderId }) => orderId);
      const ask = <Answer>(question: PostgresProjection): Promise<Answer> =>
        askOnce<PostgresProjection, Answer>('postgres-projection', question, TIMEOUT_MS);
      const from = (name: string) => ({ dataDir, emptyDir: folder.folder(name) });
      const found = {
        projected: [] as number[],
        inserted: [] as number[],
        onSqlite: [] as number[],
        statusMs: [] as number[],
        statusRate: [] as number[],
        sqliteStatusMs: [] as number[],
        sqliteStatusRate: [] as number[],
      };
      for (let round = 0; round < ROUNDS; round++) {
        const [postgres, other] = [await createTestDatabase(server), await createTestDatabase(server)];
        const place = { url: postgres.url };
        const path = join(folder.path, `read-model-${round}.sqlite`);
        found.projected.push(rateOf(await ask<Timed>({ kind: 'project', ...from(`postgres-${round}`), place })));
        found.inserted.push(rateOf(await ask<Timed>({ kind: 'insert', ...from(`inserts-${round}`), place: { url: other.url } })));
        found.onSqlite.push(rateOf(await ask<Timed>({ kind: 'project', ...from(`sqlite-${round}`), place: { path } })));
        const asked = await ask<Asked>({ kind: 'status', place, orderIds, asked: STATUSES });
        const askedOfSqlite = await ask<Asked>({ kind: 'status', place: { path }, orderIds, asked: STATUSES });
        found.statusMs.push(asked.medianMs);
        found.statusRate.push(rateOf(asked));
        found.sqliteStatusMs.push(askedOfSqlite.medianMs);
        found.sqliteStatusRate.push(rateOf(askedOfSqlite));
        await postgres.drop();
        await other.drop();
      }
      const figure = (name: string, unit: string, rounds: readonly number[]): Figure => ({ name, unit, rounds });
      return {
        figures: [
          figure('orders projected into PostgreSQL, all read models, checkpoints included', '/s', found.projected),
          figure('their rows inserted, nothing else', '/s', found.inserted),
          ratioOf('projection against the inserts alone', found.projected, found.inserted, { kind: 'at-least', asked: 0.5 }),
          figure('orders projected into SQLite', '/s', found.onSqlite),
          figure('a status from PostgreSQL', 'ms', found.statusMs),
          figure('a status from SQLite', 'ms', found.sqliteStatusMs),
          ratioOf('status from PostgreSQL against from SQLite, one at a time', found.statusMs, found.sqliteStatusMs),
          figure('statuses from PostgreSQL, 16 at once', '/s', found.statusRate),
          figure('statuses from SQLite, 16 at once', '/s', found.sqliteStatusRate),
        ],
        notes: [
          `${ORDERS.toLocaleString('en')} approved recurrent payments with their delivered callbacks (${EVENTS_PER_ORDER} events each), 512 of them under way at a time, applied in batches of 500 events as a subscription hands them over, each with its checkpoints in one transaction; every step of an order writes its row anew.`,
          'The inserts: the very rows that the projection writes, each of their versions, into tables with the same columns and indexes (not unique): one multi-row statement a table (prepared, no COPY) and one transaction for those of each batch, commits of the same durability.',
          `Status: what order status asks of the read model (by order id), ${STATUSES.toLocaleString('en')} questions a round over ${ORDERS_ASKED} orders, in a process of its own; the server runs on the same machine.`,
        ],
      };
    } finally {
      await server.stop();
    }
  });
