import {
  BrokenChain,
  ChainWatch,
  StoreUnavailable,
  type EventStore,
  type Position,
  type StoredEvent,
  type StreamName,
} from '@app/event-store';
import type { Clock } from '@app/kernel';
import type { BulkLoad } from './bulk-load';
import type { ReadModelDatabase } from '../database/database';
import { rowSource, type CorruptRow } from '../corruption/fold-from-log';
import { isDataFault, type Failure } from '../faults';
import { readBatch, type BatchEvent, type Decode } from '../log-event';
import type { Projection, ProjectionTable } from '../projection';
import {
  beginGeneration,
  checkpoints,
  dropGeneration,
  lockFence,
  moveCheckpoints,
  park,
  switchTo,
  servingGenerations,
} from '../projection-registry';
import type { Connection, Db } from '../database/tables';
import type { Mutex } from '../mutex';

export type EventLog = Pick<EventStore, 'read' | 'subscribe' | 'head' | 'comparePositions'>;

export interface RebuildContext {
  readonly database: ReadModelDatabase;
  readonly log: EventLog;
  readonly decode: Decode;
  readonly clock: Clock;
  readonly mutex: Mutex;
  /** Maximum of rows that are gathered before they are written. */
  readonly gatheredRowsMax?: number;
  readonly onCorruptRow?: (row: CorruptRow) => void;
  /** Called after every folded batch. */
  readonly onProgress?: (progress: RebuildProgress) => void;
}

/** Progress of a rebuild; `head` is the last known end of the log. */
export interface RebuildProgress {
  readonly events: number;
  readonly position: Position;
  readonly head: Position;
}

/** The result of a rebuild. */
export interface Rebuilt {
  readonly projections: readonly string[];
  /** Count of events read from the projections' categories. */
  readonly events: number;
  readonly parkedStreams: number;
  readonly position: Position;
}

/** Events that are decoded and folded together. */
const BATCH_EVENTS = 500;
/** Rows that wait in memory to be written together, so that most orders are final before they are first written. */
const GATHERED_ROWS_MAX = 2_000;
/** Maximum of catch-ups; more than one is needed only where another process projects at the same time. */
const CATCH_UPS_MAX = 50;

interface Building {
  readonly projection: Projection;
  readonly generation: number;
  readonly table: ProjectionTable;
  readonly categories: ReadonlySet<string>;
  readonly parked: Set<StreamName>;
  failures: Failure[];
}

/**
 * Builds new generations of the projections from the start of the log while the old ones serve, and switches to them in one transaction
 * (architecture, rule 15; safety, 2.2). If the process ends meanwhile, the old ones continue to serve and the next rebuild drops the remains.
 * @throws Error where another rebuild began meanwhile
 */
export const buildGenerations = async (context: RebuildContext, projections: readonly Projection[]): Promise<Rebuilt> => {
  try {
    return await buildOnce(context, projections, 'loaded');
  } catch (error) {
    if (!isDataFault(error)) throw error;
    // Two rows violate a unique index. With the indexes in place from the start, the stream of the later row is parked.
    return buildOnce(context, projections, 'empty');
  }
};

const buildOnce = async (context: RebuildContext, projections: readonly Projection[], indexWhile: 'empty' | 'loaded'): Promise<Rebuilt> => {
  const build = new Build(context, await begin(context, projections));
  try {
    if (indexWhile === 'empty') await build.createIndexes();
    // A second thread may write only while no index can refuse a row, because its errors fail the whole rebuild.
    await build.catchUp(indexWhile === 'loaded' ? 'beside' : 'here');
    if (indexWhile === 'loaded') await build.createIndexes();
    for (let round = 0; round < CATCH_UPS_MAX; round++) {
      // Holding the mutex keeps this process from projecting, so that the new generations can reach the old ones.
      const isServing = await context.mutex.take(async () => {
        await build.catchUp('here');
        return build.takeOver();
      });
      if (isServing) return await build.end();
    }
  } finally {
    await build.close();
  }
  throw new Error(`the new read models did not come level with the old ones in ${CATCH_UPS_MAX} rounds`);
};

const begin = (context: RebuildContext, projections: readonly Projection[]): Promise<readonly Building[]> =>
  context.database.registry.transaction().execute(async (transaction) => {
    const fence = await lockFence(transaction);
    const known = await checkpoints(transaction);
    const serving = await servingGenerations(transaction);
    const buildings: Building[] = [];
    for (const projection of projections) {
      let generation = 1;
      for (const row of known) {
        if (row.projection !== projection.name) continue;
        const old = Number(row.generation);
        generation = Math.max(generation, old + 1);
        if (old !== serving.get(projection.name)?.generation) await drop(transaction, projection, old);
      }
      const table = projection.table(generation, true, rowSource(context, projection));
      await table.create(transaction);
      await beginGeneration(transaction, projection.name, generation, fence, context.clock.now());
      buildings.push({ projection, generation, table, categories: new Set(projection.categories), parked: new Set(), failures: [] });
    }
    return buildings;
  });

const drop = (db: Db, projection: Projection, generation: number): Promise<void> =>
  dropGeneration(db, projection.name, generation, projection.table(generation, false).tables);

class Build {
  readonly #context: RebuildContext;
  readonly #buildings: readonly Building[];
  readonly #categories: ReadonlySet<string>;
  #position: Position | 'start' = 'start';
  readonly #chains: ChainWatch;
  #events = 0;
  #load: BulkLoad | undefined;

  constructor(context: RebuildContext, buildings: readonly Building[]) {
    this.#context = context;
    this.#buildings = buildings;
    this.#chains = new ChainWatch(context.log);
    this.#categories = new Set(buildings.flatMap(({ projection }) => projection.categories));
  }

  /** Reads to the log's head and writes the gathered rows, on this thread or on a second one while it reads on. */
  async catchUp(writing: 'here' | 'beside'): Promise<void> {
    let reached = await this.#context.log.head();
    for (let isCaughtUp = false; !isCaughtUp;) {
      try {
        reached = await this.#readOn(reached, writing);
        isCaughtUp = true;
      } catch (error) {
        if (!(error instanceof BrokenChain)) throw error;
        // The event is damaged in the log, so its stream is parked there and reading continues after it.
        await this.#fold([error.event], new Map([[error.event, error]]));
        const { position } = error.event;
        this.#position = position;
        if (this.#context.log.comparePositions(position, reached) > 0) reached = position;
      }
    }
    await this.#load?.drained();
    await this.#flush();
    this.#position = reached;
  }

  /** Reads to the end of the log. @throws BrokenChain at an unreadable event, with all events before it gathered */
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
        if (!this.#buildings.some(({ table }) => this.#isFull(table))) continue;
        if (writing === 'beside') await this.#flushBeside();
        else await this.#flush();
      }
    } catch (error) {
      if (error instanceof BrokenChain) await gather();
      throw error;
    } finally {
      await subscription.cancel();
    }
    throw new StoreUnavailable('the subscription ended before it had caught up');
  }

  async createIndexes(): Promise<void> {
    for (const { table } of this.#buildings) await this.#transact((db) => table.createIndexes(db));
  }

  /** Switches to the new generations in one transaction; false where another process has projected further, so that more must be read first. */
  takeOver(): Promise<boolean> {
    const { database, log, clock } = this.#context;
    const position = this.#reached();
    return database.registry.transaction().execute(async (transaction) => {
      const { epoch } = await lockFence(transaction);
      const serving = await servingGenerations(transaction);
      for (const row of await checkpoints(transaction)) {
        if (Number(row.generation) !== serving.get(row.projection)?.generation || row.position === null) continue;
        if (log.comparePositions(row.position as Position, position) > 0) return false;
      }
      const fresh = this.#buildings.map(({ projection, generation }) => ({ projection: projection.name, generation, from: undefined }));
      await moveCheckpoints(transaction, fresh, { to: position, epoch }, clock.now());
      for (const { projection, generation } of this.#buildings) await switchTo(transaction, projection, generation);
      await lockFence(transaction, 'note');
      return true;
    });
  }

  /** Drops the old generations. */
  async end(): Promise<Rebuilt> {
    await this.#context.database.registry.transaction().execute(async (transaction) => {
      await lockFence(transaction);
      const known = await checkpoints(transaction);
      for (const { projection, generation } of this.#buildings) {
        const older = known.filter((row) => row.projection === projection.name && Number(row.generation) < generation);
        for (const row of older) await drop(transaction, projection, Number(row.generation));
      }
    });
    return {
      projections: this.#buildings.map(({ projection }) => projection.name),
      events: this.#events,
      parkedStreams: this.#buildings.reduce((sum, { parked }) => sum + parked.size, 0),
      position: this.#reached(),
    };
  }

  async close(): Promise<void> {
    await this.#load?.close();
    this.#load = undefined;
  }

  #isFull({ gathered }: ProjectionTable): boolean {
    return gathered >= (this.#context.gatheredRowsMax ?? GATHERED_ROWS_MAX);
  }

  #reached(): Position {
    if (this.#position === 'start') throw new Error('nothing was read of the log yet');
    return this.#position;
  }

  async #fold(stored: readonly StoredEvent[], faults: ReadonlyMap<StoredEvent, Error>): Promise<void> {
    const { database, decode } = this.#context;
    const batch = readBatch(stored, this.#categories, decode, faults);
    this.#events += stored.length;
    for (const building of this.#buildings) {
      const events = eventsOf(batch, building.categories);
      const failures = await building.table.gather(this.#reading(database.registry), events, (stream) => building.parked.has(stream));
      this.#fail(building, failures);
    }
  }

  /** Waits before each read for the rows that the second thread still writes. */
  #reading(db: Db): Connection {
    return {
      getExecutor: () => db.getExecutor(),
      executeQuery: async (query) => {
        await this.#load?.drained();
        return db.executeQuery(query);
      },
    };
  }

  /**
   * Writes the rows of one flush while those of the next are gathered, so that at most two flushes of a table are in memory. Tables that are not full
   * wait, because larger flushes write each page of their tree fewer times.
   */
  async #flushBeside(): Promise<void> {
    const { database } = this.#context;
    if (database.bulkLoad === undefined) return this.#flush();
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

  async #flush(): Promise<void> {
    try {
      await this.#transact(async (db) => {
        for (const { table } of this.#buildings) await table.flush(db);
        await this.#park(db);
      });
      for (const { table } of this.#buildings) table.committed();
    } catch (error) {
      if (!isDataFault(error)) throw error;
      for (const building of this.#buildings) this.#fail(building, await building.table.flushApart((work) => this.#transact(work)));
      await this.#transact((db) => this.#park(db));
    }
    for (const building of this.#buildings) building.failures = [];
  }

  async #park(db: Db): Promise<void> {
    for (const { projection, generation, failures } of this.#buildings) {
      await park(db, projection.name, generation, failures, this.#context.clock.now());
    }
  }

  #fail(building: Building, failures: readonly Failure[]): void {
    for (const failure of failures) {
      building.parked.add(failure.event.stream);
      building.failures.push(failure);
    }
  }

  #transact<Result>(work: (db: Db) => Promise<Result>): Promise<Result> {
    // These tables have no other writer, and the projector must not wait for an index over many rows.
    return this.#context.database.registry.transaction().execute(work);
  }
}

export const eventsOf = (batch: readonly BatchEvent[], categories: ReadonlySet<string>): readonly BatchEvent[] =>
  batch.every(({ category }) => categories.has(category)) ? batch : batch.filter(({ category }) => categories.has(category));
