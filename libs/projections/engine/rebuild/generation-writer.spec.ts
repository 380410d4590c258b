import { CompiledQuery } from 'kysely';
import type { Instant } from '@app/kernel';
import type { EventId, Revision, StreamName } from '@app/event-store';
import { MemoryDisk } from '../../testing/memory-database';
import type { BulkLoad } from '../database/bulk-load';
import type { ReadModelDatabase } from '../database/database';
import { CannotApply } from '../faults';
import { Mutex } from '../mutex';
import type { ProjectionTable } from '../projection';
import { parkedStreams } from '../projection-registry';
import { GenerationWriter } from './generation-writer';
import type { Building } from './rebuild-context';

const STREAM = 'payment-a' as StreamName;
const TURNS_MAX = 10_000;

/** Rows that are written when the test lets them. */
class HeldLoad implements BulkLoad {
  readonly written: string[] = [];
  readonly #waiting: string[] = [];
  #release: (() => void) | undefined;

  write({ sql }: { readonly sql: string }): void {
    this.#waiting.push(sql);
  }

  async drained(): Promise<void> {
    if (this.#waiting.length > 0) await new Promise<void>((resolve) => (this.#release = resolve));
    this.written.push(...this.#waiting.splice(0));
  }

  /** Waits until somebody waits for the rows. */
  async release(): Promise<void> {
    for (let turn = 0; this.#release === undefined; turn++) {
      if (turn > TURNS_MAX) throw new Error('nobody waits for the rows');
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#release();
    this.#release = undefined;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

const tableOf = (name: string): ProjectionTable & { committedTimes: number } => ({
  name,
  tables: [name],
  gathered: 1,
  committedTimes: 0,
  create: () => Promise.resolve(),
  createIndexes: () => Promise.resolve(),
  gather: () => Promise.resolve([]),
  flush: async (db) => void (await db.executeQuery(CompiledQuery.raw(`select '${name}'`))),
  committed() {
    this.committedTimes += 1;
  },
  flushApart: () => Promise.resolve([]),
  forget: () => undefined,
  resume: () => Promise.reject(new Error('not asked for')),
});

const failure = (stream: StreamName, revision: bigint) => ({
  event: { stream, revision: revision as Revision, id: `${stream}@${revision}` as EventId },
  error: new CannotApply('test'),
});

const buildingOf = (table: ProjectionTable): Building => ({
  projection: { name: table.name, categories: ['payment'], shape: 1, table: () => table },
  generation: 2,
  table,
  categories: new Set(['payment']),
  parked: new Set(),
  failures: [],
});

const writing = async () => {
  const load = new HeldLoad();
  const database: ReadModelDatabase = { ...(await MemoryDisk.create()).open(), bulkLoad: () => Promise.resolve(load) };
  const tables = [tableOf('orders'), tableOf('search')];
  const buildings = tables.map(buildingOf);
  const log = { read: () => (async function* () {})() } as never;
  const clock = { now: () => 1 as Instant };
  const writer = new GenerationWriter({ database, log, decode: () => undefined, clock, mutex: new Mutex() }, buildings);
  const parked = async () => [...(await parkedStreams(database.reads, 'orders', 2))];
  return { load, tables, buildings, writer, parked };
};

describe('what is noted of rows that a second thread writes', () => {
  it('follows all of them, full or not, and comes before anything else is written', async () => {
    const { load, tables, writer } = await writing();
    const told: string[] = [];
    await writer.saveBeside(() => Promise.resolve(void told.push(`noted after ${load.written.join(', ')}`)));
    // The rows are on their way, and nobody waits for them yet.
    expect([told, load.written, tables.map(({ committedTimes }) => committedTimes)]).toStrictEqual([[], [], [1, 1]]);
    const flushing = writer.flushBeside();
    await load.release();
    await flushing;
    expect(told).toStrictEqual(["noted after select 'orders', select 'search'"]);
    await writer.flush();
    expect(told).toHaveLength(1);
  });

  it('is noted by the end at the latest', async () => {
    const { load, writer } = await writing();
    const told: string[] = [];
    await writer.saveBeside(() => Promise.resolve(void told.push('saved')));
    const flushing = writer.flush(() => Promise.resolve(void told.push('ended')));
    await load.release();
    await flushing;
    expect(told).toStrictEqual(['saved', 'ended']);
  });

  it('is lost with the process, as the rows may be', async () => {
    const { writer } = await writing();
    const told: string[] = [];
    await writer.saveBeside(() => Promise.resolve(void told.push('saved')));
    await writer.close();
    expect(told).toStrictEqual([]);
  });

  it('has the streams that were parked by then, and not those that were parked since', async () => {
    const { load, buildings, writer, parked } = await writing();
    const [orders] = buildings;
    orders?.failures.push(failure(STREAM, 3n));
    await writer.saveBeside(() => Promise.resolve());
    orders?.failures.push(failure('payment-b' as StreamName, 7n));
    expect(await parked()).toStrictEqual([]);
    const flushing = writer.flushBeside();
    await load.release();
    await flushing;
    expect(await parked()).toStrictEqual([[STREAM, 3n]]);
    await writer.flush();
    expect(await parked()).toStrictEqual([
      [STREAM, 3n],
      ['payment-b', 7n],
    ]);
  });
});
