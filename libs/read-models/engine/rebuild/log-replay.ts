import { sql } from 'kysely';
import { BrokenChain, ChainChecker, StoreUnavailable, type Position, type StoredEvent } from '@app/event-store';
import type { BulkLoad } from '../database/database';
import type { Connection, Db } from '../database/tables';
import { isDataFault, type Failure } from '../faults';
import { eventsOf, type BatchEvent, readBatch } from '../log-event';
import type { ProjectionTable } from '../projection';
import { park } from '../projection-registry';
import { isPostgres } from './bulk-statements';
import type { Building, RebuildContext } from './new-generations';

const GATHERED_ROWS_MAX = 2_000;

export class GenerationWriter {
  readonly #context: RebuildContext;
  readonly #buildings: readonly Building[];
  #load: BulkLoad | undefined;

  constructor(context: RebuildContext, buildings: readonly Building[]) {
    this.#context = context;
    this.#buildings = buildings;
  }

  get isFull(): boolean {
    return this.#buildings.some(({ table }) => this.#isFull(table));
  }

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
   * Updates PostgreSQL's statistics. Autovacuum takes a minute or more, and until then a list's first page reads the
   * whole table.
   */
  async analyze(): Promise<void> {
    if (!isPostgres(this.#context.database.registry)) return;
    for (const { table } of this.#buildings)
      for (const name of table.tables) await sql`analyze ${sql.table(name)}`.execute(this.#context.database.registry);
  }

  async flush(): Promise<void> {
    await this.#load?.drained();
    await this.flushHere();
  }

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
   * Writes one flush while the next is gathered, so at most two are in memory. Tables that are not full wait, because
   * larger flushes write each page fewer times.
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

const BATCH_EVENTS = 500;

export class LogReplay {
  readonly #context: RebuildContext;
  readonly #categories: ReadonlySet<string>;
  readonly #writer: GenerationWriter;
  readonly #chains: ChainChecker;
  #position: Position | 'start' = 'start';
  #events = 0;

  constructor(context: RebuildContext, categories: ReadonlySet<string>, writer: GenerationWriter) {
    this.#context = context;
    this.#categories = categories;
    this.#writer = writer;
    this.#chains = new ChainChecker(context.log);
  }

  get events(): number {
    return this.#events;
  }

  /**
   * Everything up to this position is written.
   * @throws Error before the first call
   */
  get reached(): Position {
    if (this.#position === 'start') throw new Error('nothing was read of the log yet');
    return this.#position;
  }

  async catchUp(writing: 'here' | 'beside'): Promise<void> {
    let reached = await this.#context.log.head();
    for (let isCaughtUp = false; !isCaughtUp;) {
      try {
        reached = await this.#readOn(reached, writing);
        isCaughtUp = true;
      } catch (error) {
        if (!(error instanceof BrokenChain)) throw error;
        // The event is damaged in the log. Its stream is parked there, and reading continues.
        await this.#fold([error.event], new Map([[error.event, error]]));
        const { position } = error.event;
        this.#position = position;
        if (this.#context.log.comparePositions(position, reached) > 0) reached = position;
      }
    }
    await this.#writer.flush();
    this.#position = reached;
  }

  /** @throws BrokenChain at an unreadable event, with all events before it gathered */
  async #readOn(head: Position, writing: 'here' | 'beside'): Promise<Position> {
    const { log } = this.#context;
    let reached = head;
    let batch: StoredEvent[] = [];
    const gather = async (): Promise<void> => {
      const gathered = batch;
      batch = [];
      await this.#fold(gathered, await this.#chains.faultsIn(gathered));
    };
    const subscription = log.subscribe([...this.#categories], this.#position);
    try {
      for await (const item of subscription) {
        if (item.kind === 'caught-up') {
          await gather();
          return reached;
        }
        if (item.kind !== 'event') continue;
        batch.push(item.event);
        if (log.comparePositions(item.event.position, reached) > 0) reached = item.event.position;
        if (batch.length < BATCH_EVENTS) continue;
        await gather();
        this.#context.onProgress?.({ events: this.#events, position: item.event.position, head: reached });
        if (!this.#writer.isFull) continue;
        if (writing === 'beside') await this.#writer.flushBeside();
        else await this.#writer.flushHere();
      }
    } catch (error) {
      if (error instanceof BrokenChain) await gather();
      throw error;
    } finally {
      await subscription.cancel();
    }
    throw new StoreUnavailable('the subscription ended before it had caught up');
  }

  async #fold(stored: readonly StoredEvent[], faults: ReadonlyMap<StoredEvent, Error>): Promise<void> {
    this.#events += stored.length;
    await this.#writer.gather(readBatch(stored, this.#categories, this.#context.decode, faults));
  }
}
