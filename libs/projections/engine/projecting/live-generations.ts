import { categoryOf, StoreUnavailable, type Position, type StreamName } from '@app/event-store';
import type { Clock } from '@app/kernel';
import { rowSource, type LogTruth } from '../corruption/fold-from-log';
import type { ReadModelDatabase } from '../database/database';
import type { Db } from '../database/tables';
import type { Failure } from '../faults';
import type { EventLog } from '../log-event';
import type { Mutex } from '../mutex';
import type { Projection, ProjectionTable } from '../projection';
import {
  assertEpoch,
  checkpoints,
  FencedOut,
  lockFence,
  park,
  parkedStreams,
  servingGenerations,
  replayed,
  stampEpoch,
  stampFollower,
  type Fence,
} from '../projection-registry';

export interface LiveGenerationsContext extends LogTruth {
  readonly database: ReadModelDatabase;
  readonly log: EventLog;
  readonly clock: Clock;
  readonly mutex: Mutex;
  /** Called where other generations may serve than before. */
  readonly onChanged?: () => void;
}

/** A generation that follows the log: the serving one of a projection, and one that a replay keeps. */
export interface LiveGeneration {
  readonly projection: Projection;
  readonly categories: ReadonlySet<string>;
  readonly generation: number;
  readonly table: ProjectionTable;
  readonly parked: Map<StreamName, bigint>;
  position: Position | undefined;
}

/** The generations of all projections that follow the log, as this process knows them, and the transactions in which it may change them. */
export class LiveGenerations {
  readonly projections: readonly Projection[];
  readonly categories: ReadonlySet<string>;
  readonly #context: LiveGenerationsContext;
  #all: readonly LiveGeneration[] = [];
  #epoch: number | undefined;
  #changes: number | undefined;
  #isFencedOut = false;

  constructor(context: LiveGenerationsContext, projections: readonly Projection[]) {
    this.#context = context;
    this.projections = projections;
    this.categories = new Set(projections.flatMap(({ categories }) => categories));
  }

  /** As they were when the last transaction began. */
  get all(): readonly LiveGeneration[] {
    return this.#all;
  }

  /** Whether another process has claimed since, so that this one writes nothing until it resigns and claims again. */
  get isFencedOut(): boolean {
    return this.#isFencedOut;
  }

  /** Makes this process the only projector (safety, F22). Returns the least checkpoint, or undefined where a projection has none. */
  claim(): Promise<Position | undefined> {
    return this.#context.mutex.take(async () => {
      this.#epoch = await this.transact(async (db, fence) => {
        if (this.#epoch !== undefined) {
          this.#assertOwner(fence, this.#epoch);
          return this.#epoch;
        }
        const { epoch } = await lockFence(db, 'claim');
        await stampEpoch(db, epoch);
        await stampFollower(db, epoch);
        return epoch;
      });
      const [first, ...others] = this.#all.map(({ position }) => position);
      const { log } = this.#context;
      return others.reduce((a, b) => (a === undefined || b === undefined ? undefined : log.comparePositions(a, b) <= 0 ? a : b), first);
    });
  }

  /** Stops writing until the next claim. */
  resign(): void {
    this.#epoch = undefined;
    this.#isFencedOut = false;
  }

  /** Streams that every projection of their category has parked. */
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

  /** Drops the state in memory, since it is unknown whether the transaction was committed. */
  forget(): void {
    for (const { table } of this.#all) table.forget();
    this.loadAnew();
  }

  /** Makes the next transaction load the registry again, since another process may have moved a checkpoint. */
  loadAnew(): void {
    this.#changes = undefined;
  }

  /** Fences the transaction, so that of two projectors the one that claimed earlier writes nothing. @throws StoreUnavailable */
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
      const fence = await lockFence(db);
      if (this.#changes !== fence.changes) await this.#load(db, fence.changes);
      return work(db, fence);
    });
  }

  #assertOwner(fence: Fence, epoch: number): void {
    try {
      assertEpoch(fence, epoch);
    } catch (error) {
      this.#isFencedOut = error instanceof FencedOut;
      throw error;
    }
  }

  async #load(db: Db, changes: number): Promise<void> {
    const serving = await servingGenerations(db);
    const reached = await checkpoints(db);
    const live: LiveGeneration[] = [];
    const kept = (await replayed(db)).filter(({ state }) => state === 'kept');
    for (const projection of this.projections) {
      const served = serving.get(projection.name);
      if (served === undefined || served.shape !== projection.shape) continue;
      // One that was replaced and kept follows the log as well: who still reads it sees no older state, and it can serve again at once.
      const followed = kept.filter(({ projection: name, shape }) => name === projection.name && shape === projection.shape);
      for (const generation of [served.generation, ...followed.map((one) => one.generation)]) {
        const row = reached.find((row) => row.projection === projection.name && Number(row.generation) === generation);
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
    }
    this.#all = live;
    this.#changes = changes;
    this.#context.onChanged?.();
  }
}
