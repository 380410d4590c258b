import { join } from 'node:path';
import { createTestDatabase, startPostgres } from '@app/postgres/testing';
import { ratioOf, type Figure, type Findings } from '../harness/figure';
import { processCpuMs, processTreeCpuMs } from '../harness/process-cpu';
import { askOnce, Program } from '../harness/program';
import { ROUNDS } from '../harness/rounds';
import { inWorkFolder } from '../harness/work-folder';
import { rateOf, type Timed } from '../load/appends';
import { EVENTS_PER_ORDER, type Fill, type Filled } from '../load/filled-log';
import type { Asked, PostgresProjection } from '../programs/postgres-projection.program';

const ORDERS = 10_000;
const ORDERS_ASKED = 200;
const STATUSES = 4_000;
const PARTITIONS = [1, 2, 4] as const;
const FILL_TIMEOUT_MS = 600_000;
const TIMEOUT_MS = 300_000;

const MICROSECONDS_PER_MS = 1_000;

interface Divided {
  readonly dataDir: string;
  readonly url: string;
  readonly folder: string;
  /** Root process of PostgreSQL; undefined where it is another's. */
  readonly serverPid: number | undefined;
}

/** What all partitions did together. */
interface Projected {
  readonly perSecond: number;
  /** CPU for each order, in µs; undefined where the system does not report it. */
  readonly cpuOfProcesses: number | undefined;
  readonly cpuOfServer: number | undefined;
}

const cpuOfAll = (pids: readonly number[]): number | undefined => {
  const each = pids.map(processCpuMs);
  return each.reduce((sum, one) => (sum === undefined || one === undefined ? undefined : sum + one), 0);
};

const perOrder = (before: number | undefined, after: number | undefined, orders: number): number | undefined =>
  before === undefined || after === undefined ? undefined : ((after - before) * MICROSECONDS_PER_MS) / orders;

const inPartitions = async (of: number, { dataDir, url, folder, serverPid }: Divided): Promise<Projected> => {
  const programs = Array.from({ length: of }, () => new Program<PostgresProjection, Timed>('postgres-projection'));
  try {
    // The first one makes the tables, for which the others wait.
    for (const [at, program] of programs.entries()) {
      const partition = { number: at + 1, of };
      await program.ask({ kind: 'prepare', dataDir, emptyDir: join(folder, String(at)), place: { url }, partition }, TIMEOUT_MS);
    }
    const pids = programs.map(({ pid }) => pid);
    const cpuOfServer = (): number | undefined => (serverPid === undefined ? undefined : processTreeCpuMs(serverPid));
    const before = { processes: cpuOfAll(pids), server: cpuOfServer() };
    const timed = await Promise.all(programs.map((program) => program.ask({ kind: 'go' }, TIMEOUT_MS)));
    const count = timed[0]?.count ?? 0;
    return {
      perSecond: rateOf({ count, elapsedMs: Math.max(...timed.map(({ elapsedMs }) => elapsedMs)) }),
      cpuOfProcesses: perOrder(before.processes, cpuOfAll(pids), count),
      cpuOfServer: perOrder(before.server, cpuOfServer(), count),
    };
  } finally {
    for (const program of programs) await program.stop();
  }
};

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
        partitioned: new Map<number, Projected[]>(PARTITIONS.map((of) => [of, []])),
      };
      for (let round = 0; round < ROUNDS; round++) {
        const [postgres, other] = [await createTestDatabase(server), await createTestDatabase(server)];
        const place = { url: postgres.url };
        const path = join(folder.path, `read-model-${round}.sqlite`);
        for (const of of PARTITIONS) {
          const database = await createTestDatabase(server);
          const divided = { dataDir, url: database.url, folder: folder.folder(`parts-${of}-${round}`), serverPid: server.pid };
          found.partitioned.get(of)?.push(await inPartitions(of, divided));
          await database.drop();
        }
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
      const roundsOf = (of: number): readonly Projected[] => found.partitioned.get(of) ?? [];
      const partitioned = (of: number): readonly number[] => roundsOf(of).map(({ perSecond }) => perSecond);
      const byProcesses = (of: number): string => `${of} ${of === 1 ? 'process' : 'processes'}`;
      const cpu = (name: string, of: number, part: 'cpuOfProcesses' | 'cpuOfServer'): readonly Figure[] => {
        const rounds = roundsOf(of).flatMap((one) => one[part] ?? []);
        return rounds.length === 0 ? [] : [{ name: `${name} an order, ${byProcesses(of)}`, unit: 'µs', rounds }];
      };
      const figure = (name: string, unit: string, rounds: readonly number[]): Figure => ({ name, unit, rounds });
      return {
        figures: [
          figure('orders projected into PostgreSQL, all read models, checkpoints included', '/s', found.projected),
          figure('their rows inserted, nothing else', '/s', found.inserted),
          ratioOf('projection against the inserts alone', found.projected, found.inserted, { kind: 'at-least', asked: 0.5 }),
          ...PARTITIONS.map((of) =>
            figure(`orders projected into PostgreSQL by ${byProcesses(of)}, each its partition`, '/s', partitioned(of)),
          ),
          ...PARTITIONS.flatMap((of) => [
            ...cpu('CPU of what projects', of, 'cpuOfProcesses'),
            ...cpu('CPU of PostgreSQL', of, 'cpuOfServer'),
          ]),
          ratioOf('two partitions against one', partitioned(2), partitioned(1), { kind: 'at-least', asked: 1.6 }),
          ratioOf('four partitions against one', partitioned(4), partitioned(1)),
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
          'In partitions: each process reads the whole log and projects the streams that are its own; from the moment all begin until the last one is done, on the cores that the database has too.',
          `Status: what order status asks of the read model (by order id), ${STATUSES.toLocaleString('en')} questions a round over ${ORDERS_ASKED} orders, in a process of its own; the server runs on the same machine.`,
        ],
      };
    } finally {
      await server.stop();
    }
  });
