import { sql } from 'kysely';
import type { BulkLoad } from '../database/database';
import type { Connection, Db } from '../database/tables';
import { isDataFault, type Failure } from '../faults';
import { eventsOf, type BatchEvent } from '../log-event';
import type { ProjectionTable } from '../projection';
import { park } from '../projection-registry';
import { isPostgres } from './bulk-statements';
import type { Building, RebuildContext } from './rebuild-context';

/** Rows that wait in memory to be written together, so that most orders are final before they are first written. */
const GATHERED_ROWS_MAX = 2_000;

/** Folds events into the tables of new generations, and writes the gathered rows, beside it where the database has a writer for that. */
export class GenerationWriter {
  readonly #context: RebuildContext;
  readonly #buildings: readonly Building[];
  #load: BulkLoad | undefined;

  constructor(context: RebuildContext, buildings: readonly Building[]) {
    this.#context = context;
    this.#buildings = buildings;
  }

  /** Whether some table has gathered enough rows to be written. */
  get isFull(): boolean {
    return this.#buildings.some(({ table }) => this.#isFull(table));
  }

  /** Folds the events of a batch into each table of their category. */
  async gather(batch: readonly BatchEvent[]): Promise<void> {
    const reading = this.#reading(this.#context.database.registry);
    for (const building of this.#buildings) {
      const events = eventsOf(batch, building.categories);
      fail(building, await building.table.gather(reading, events, (stream) => building.parked.has(stream)));
    }
  }

  async createIndexes(): Promise<void> {
    for (const { table } of this.#buildings) await this.#transact((db) => table.createIndexes(db));
  }

  /**
   * Has PostgreSQL count what was loaded: until it does so by itself, which takes a minute or more, it knows nothing of the new tables and reads all of a
   * list for its first page.
   */
  async analyze(): Promise<void> {
    if (!isPostgres(this.#context.database.registry)) return;
    for (const { table } of this.#buildings)
      for (const name of table.tables) await sql`analyze ${sql.table(name)}`.execute(this.#context.database.registry);
  }

  /** Writes all gathered rows, after those that are still being written. */
  async flush(): Promise<void> {
    await this.#load?.drained();
    await this.flushHere();
  }

  /** Writes all gathered rows on this thread. A row that the database refuses parks its stream. */
  async flushHere(): Promise<void> {
    try {
      await this.#transact(async (db) => {
        for (const { table } of this.#buildings) await table.flush(db);
        await this.#park(db);
      });
      for (const { table } of this.#buildings) table.committed();
    } catch (error) {
      if (!isDataFault(error)) throw error;
      for (const building of this.#buildings) fail(building, await building.table.flushApart((work) => this.#transact(work)));
      await this.#transact((db) => this.#park(db));
    }
    for (const building of this.#buildings) building.failures = [];
  }

  /**
   * Writes the rows of one flush while those of the next are gathered, so that at most two flushes of a table are in memory. Tables that are not full
   * wait, because larger flushes write each page of their tree fewer times.
   */
  async flushBeside(): Promise<void> {
    const { database } = this.#context;
    if (database.bulkLoad === undefined) return this.flushHere();
    const load = (this.#load ??= await database.bulkLoad());
    await load.drained();
    const writing: Connection = {
      getExecutor: () => database.registry.getExecutor(),
      executeQuery: (query) => {
        const { sql, parameters } = 'compile' in query ? query.compile() : query;
        load.write({ sql, parameters });
        return Promise.resolve({ rows: [] });
      },
    };
    for (const { table } of this.#buildings) {
      if (!this.#isFull(table)) continue;
      await table.flush(writing);
      table.committed();
    }
  }

  async close(): Promise<void> {
    await this.#load?.close();
    this.#load = undefined;
  }

  #isFull({ gathered }: ProjectionTable): boolean {
    return gathered >= (this.#context.gatheredRowsMax ?? GATHERED_ROWS_MAX);
  }

  /** Waits before each read for the rows that are still being written. */
  #reading(db: Db): Connection {
    return {
      getExecutor: () => db.getExecutor(),
      executeQuery: async (query) => {
        await this.#load?.drained();
        return db.executeQuery(query);
      },
    };
  }

  async #park(db: Db): Promise<void> {
    for (const { projection, generation, failures } of this.#buildings) {
      await park(db, projection.name, generation, failures, this.#context.clock.now());
    }
  }

  #transact<Result>(work: (db: Db) => Promise<Result>): Promise<Result> {
    // These tables have no other writer, and the projector must not wait for an index over many rows.
    return this.#context.database.registry.transaction().execute(work);
  }
}

const fail = (building: Building, failures: readonly Failure[]): void => {
  for (const failure of failures) {
    building.parked.add(failure.event.stream);
    building.failures.push(failure);
  }
};
