import { categoryOf, StoreUnavailable, type Position, type StreamName } from '@app/event-store';
import type { Clock } from '@app/kernel';
import { rowSource, type LogTruth } from '../project-from-log';
import type { ReadModelDatabase } from '../database/database';
import type { Db } from '../database/tables';
import type { Failure } from '../faults';
import type { EventLog } from '../log-event';
import {
  divideInto,
  leastOf,
  partitionOf,
  type Partition,
  assertEpoch,
  FencedOut,
  lockFence,
  lockFences,
  partitionFences,
  stampEpoch,
  type Fence,
} from './partitions';
import type { Projection, ProjectionTable } from '../projection';
import { checkpoints, park, parkedStreams, servingGenerations } from '../projection-registry';

export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  take<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work, work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

export interface LiveGenerationsContext extends LogTruth {
  readonly database: ReadModelDatabase;
  readonly log: EventLog;
  readonly clock: Clock;
  readonly mutex: Mutex;
  readonly partition: Partition;
}

/** There are several partitions, but this process projects all streams. */
class Divided extends StoreUnavailable {
  constructor() {
    super('the read models are projected in partitions by now');
  }
}

export interface LiveGeneration {
  readonly projection: Projection;
  readonly categories: ReadonlySet<string>;
  readonly generation: number;
  readonly table: ProjectionTable;
  readonly parked: Map<StreamName, bigint>;
  position: Position | undefined;
}

export class LiveGenerations {
  readonly projections: readonly Projection[];
  readonly categories: ReadonlySet<string>;
  readonly #context: LiveGenerationsContext;
  #all: readonly LiveGeneration[] = [];
  #epoch: number | undefined;
  #changes: number | undefined;
  #isFencedOut = false;
  #hasClaimed = false;

  constructor(context: LiveGenerationsContext, projections: readonly Projection[]) {
    this.#context = context;
    this.projections = projections;
    this.categories = new Set(projections.flatMap(({ categories }) => categories));
  }

  /** As of the start of the latest transaction. */
  get all(): readonly LiveGeneration[] {
    return this.#all;
  }

  /** Whether another process has claimed. This one then writes nothing until it resigns and claims again. */
  get isFencedOut(): boolean {
    return this.#isFencedOut;
  }

  /**
   * Makes this process the only projector (safety, F22). Returns the lowest checkpoint, or undefined if a projection
   * has none.
   */
  claim(): Promise<Position | undefined> {
    return this.#context.mutex.take(async () => {
      if (this.#context.partition.of > 1) await this.#assertDivided();
      this.#epoch = await this.#transactUndivided(async (db, fence) => {
        if (this.#epoch !== undefined) {
          this.#assertOwner(fence, this.#epoch);
          return this.#epoch;
        }
        const { partition } = this.#context;
        const { epoch } = await lockFence(db, 'claim', partition);
        await stampEpoch(db, epoch, partition);
        return epoch;
      });
      this.#hasClaimed = true;
      const { log } = this.#context;
      return leastOf(
        this.#all.map(({ position }) => position),
        (a, b) => log.comparePositions(a, b),
      );
    });
  }

  resign(): void {
    this.#epoch = undefined;
    this.#isFencedOut = false;
  }

  parkedEverywhere(): readonly StreamName[] {
    const counts = new Map<StreamName, number>();
    for (const { parked } of this.#all) for (const stream of parked.keys()) counts.set(stream, (counts.get(stream) ?? 0) + 1);
    const readers = (stream: StreamName): number => this.#all.filter(({ categories }) => categories.has(categoryOf(stream))).length;
    return [...counts].filter(([stream, count]) => count === readers(stream)).map(([stream]) => stream);
  }

  isBeyond({ position: reached }: LiveGeneration, position: Position): boolean {
    return reached === undefined || this.#context.log.comparePositions(position, reached) > 0;
  }

  park(db: Db, { projection, generation }: LiveGeneration, failures: readonly Failure[]): Promise<void> {
    return park(db, projection.name, generation, failures, this.#context.clock.now());
  }

  forget(): void {
    for (const { table } of this.#all) table.forget();
    this.loadAgain();
  }

  /** The next transaction loads the registry, because another process may have moved a checkpoint. */
  loadAgain(): void {
    this.#changes = undefined;
  }

  /**
   * Fenced: of two projectors, the one that claimed earlier writes nothing.
   * @throws StoreUnavailable
   */
  transactAsOwner<Result>(work: (db: Db, epoch: number) => Promise<Result>): Promise<Result> {
    return this.transact((db, fence) => {
      if (this.#epoch === undefined) throw new StoreUnavailable('this process does not project any more');
      this.#assertOwner(fence, this.#epoch);
      return work(db, this.#epoch);
    });
  }

  /** Loads changes of other processes before the work. */
  transact<Result>(work: (db: Db, fence: Fence) => Promise<Result>): Promise<Result> {
    return this.#context.database.writes.transaction().execute(async (db) => {
      const fence = await lockFence(db, 'write', this.#context.partition);
      if (this.#changes !== fence.changes) await this.#load(db, fence.changes, this.#context.partition.number);
      return work(db, fence);
    });
  }

  /**
   * Runs while no partition is projected, with the checkpoints of the key's partition. If it changes rows, it must note
   * that (`lockFences`).
   */
  async transactAlone<Result>(key: string, work: (db: Db) => Promise<Result>): Promise<Result> {
    const isWhole = this.#context.partition.of === 1;
    this.loadAgain();
    try {
      return await this.#context.database.writes.transaction().execute(async (db) => {
        const [first, ...others] = await lockFences(db);
        const isAlone = isWhole && others.length === 0;
        await this.#load(db, isAlone ? first?.changes : undefined, partitionOf(key, others.length + 1));
        return work(db);
      });
    } finally {
      if (!isWhole) this.loadAgain();
    }
  }

  async #transactUndivided<Result>(work: (db: Db, fence: Fence) => Promise<Result>): Promise<Result> {
    try {
      return await this.transact(work);
    } catch (error) {
      if (!(error instanceof Divided)) throw error;
      await this.#assertDivided();
      return this.transact(work);
    }
  }

  /**
   * A starting process sets the partition count. A process that has already projected stops if the count changes.
   * @throws StoreUnavailable
   */
  async #assertDivided(): Promise<void> {
    const { database, log, partition } = this.#context;
    const { length: count } = await partitionFences(database.reads);
    if (count === partition.of) return;
    if (this.#hasClaimed) throw new StoreUnavailable(`the read models are projected in ${count} partitions by now, not in ${partition.of}`);
    const compare = (a: Position, b: Position): number => log.comparePositions(a, b);
    await database.registry.transaction().execute((db) => divideInto(db, partition.of, compare));
  }

  #assertOwner(fence: Fence, epoch: number): void {
    try {
      assertEpoch(fence, epoch);
    } catch (error) {
      this.#isFencedOut = error instanceof FencedOut;
      throw error;
    }
  }

  async #load(db: Db, changes: number | undefined, partition: number): Promise<void> {
    const serving = await servingGenerations(db);
    const reached = await checkpoints(db);
    const live: LiveGeneration[] = [];
    if (changes !== undefined && this.#context.partition.of === 1 && reached.some((row) => row.partition > 1)) throw new Divided();
    for (const projection of this.projections) {
      const served = serving.get(projection.name);
      if (served === undefined || served.shape !== projection.shape) continue;
      const { generation } = served;
      const row = reached.find((row) => row.projection === projection.name && row.generation === generation && row.partition === partition);
      if (row === undefined) throw new Error(`${projection.name} has no checkpoint of generation ${generation}`);
      live.push({
        projection,
        categories: new Set(projection.categories),
        generation,
        table: projection.table(generation, false, rowSource(this.#context, projection)),
        parked: await parkedStreams(db, projection.name, generation),
        position: row.position === null ? undefined : (row.position as Position),
      });
    }
    this.#all = live;
    this.#changes = changes;
  }
}
