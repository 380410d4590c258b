import { categoryOf, ChainWatch, StoreUnavailable, type Position, type StoredEvent, type StreamName } from '@app/event-store';
import type { Clock, Instant } from '@app/kernel';
import type { ReadModelDatabase } from './database/database';
import { asUnavailable, errorText, isDataFault, type Failure } from './faults';
import { readBatch, type BatchEvent, type Decode } from './log-event';
import type { Projection, ProjectionTable } from './projection';
import { rowSource, type CorruptRow } from './corruption/fold-from-log';
import { eventsOf, type EventLog } from './rebuild/rebuild';
import {
  assertEpoch,
  checkpoints,
  lockFence,
  moveCheckpoints,
  park,
  parkedStreams,
  servingGenerations,
  stampEpoch,
  FencedOut,
  unpark,
  type Fence,
} from './projection-registry';
import type { Db } from './database/tables';
import { streamEvents } from './stream-events';
import type { Mutex } from './mutex';

export interface ProjectorContext {
  readonly database: ReadModelDatabase;
  readonly log: EventLog;
  readonly decode: Decode;
  readonly clock: Clock;
  readonly mutex: Mutex;
  readonly onParked?: (parked: ParkedStream) => void;
  readonly onCorruptRow?: (row: CorruptRow) => void;
}

export interface ParkedStream {
  readonly projection: string;
  readonly stream: StreamName;
  /** Revision of the first event that was not applied. */
  readonly revision: number;
  readonly eventId: string;
  /** Description without data of the event. */
  readonly error: string;
  readonly parkedAt: Instant;
}

/** The projections that resumed a parked stream, and those that met another event that they cannot apply. */
export interface StreamRebuilt {
  readonly applied: readonly string[];
  readonly stillParked: readonly string[];
}

/** A projection's serving generation, which follows the log. */
interface Live {
  readonly projection: Projection;
  readonly categories: ReadonlySet<string>;
  readonly generation: number;
  readonly table: ProjectionTable;
  readonly parked: Map<StreamName, bigint>;
  position: Position | undefined;
}

/** Applies the log to the serving generations, with all tables of a batch and their checkpoints in one transaction (safety, F18). */
export class Projector {
  readonly #context: ProjectorContext;
  readonly #projections: readonly Projection[];
  readonly #categories: ReadonlySet<string>;
  readonly #chains: ChainWatch;
  #live: readonly Live[] = [];
  #epoch: number | undefined;
  #changes: number | undefined;
  #isFencedOut = false;

  constructor(context: ProjectorContext, projections: readonly Projection[]) {
    this.#context = context;
    this.#projections = projections;
    this.#chains = new ChainWatch(context.log);
    this.#categories = new Set(projections.flatMap(({ categories }) => categories));
  }

  /** Whether another process has claimed since, so that this one writes nothing until it resigns and claims again. */
  get isFencedOut(): boolean {
    return this.#isFencedOut;
  }

  /** Makes this process the only projector (safety, F22). Returns the least checkpoint, or undefined where a projection has none. */
  claim(): Promise<Position | undefined> {
    return this.#context.mutex.take(async () => {
      this.#epoch = await this.#transact(async (db, fence) => {
        if (this.#epoch !== undefined) {
          this.#assertOwner(fence, this.#epoch);
          return this.#epoch;
        }
        const { epoch } = await lockFence(db, 'claim');
        await stampEpoch(db, epoch);
        return epoch;
      });
      const [first, ...others] = this.#live.map(({ position }) => position);
      const { log } = this.#context;
      return others.reduce((a, b) => (a === undefined || b === undefined ? undefined : log.comparePositions(a, b) <= 0 ? a : b), first);
    });
  }

  /** Stops writing until the next claim. */
  resign(): void {
    this.#epoch = undefined;
    this.#isFencedOut = false;
  }

  /**
   * Decodes each event once and applies it in every projection of its category; a projection that cannot apply it parks the stream for itself.
   * @throws StoreUnavailable where the batch must be retried; events that were applied are then skipped
   */
  apply(stored: readonly StoredEvent[], upTo: Position): Promise<void> {
    return this.#context.mutex.take(async () => {
      const batch = readBatch(stored, this.#categories, this.#context.decode, await this.#chains.faultsIn(stored));
      try {
        await this.#applyTogether(batch, upTo);
      } catch (error) {
        this.#forget();
        if (!isDataFault(error)) throw asUnavailable(error);
        await this.#applyApart(batch, upTo);
      }
    });
  }

  /** Parks the stream in every projection of its category; all continue after it. @throws StoreUnavailable */
  parkEverywhere(stored: StoredEvent, error: Error): Promise<void> {
    const batch = readBatch([stored], this.#categories, this.#context.decode, new Map([[stored, error]]));
    return this.#context.mutex
      .take(() => this.#applyTogether(batch, stored.position))
      .catch((failure: unknown) => {
        this.#forget();
        throw asUnavailable(failure);
      });
  }

  /** Streams that every projection of their category has parked. */
  parkedEverywhere(): Promise<readonly StreamName[]> {
    const counts = new Map<StreamName, number>();
    for (const { parked } of this.#live) for (const stream of parked.keys()) counts.set(stream, (counts.get(stream) ?? 0) + 1);
    const readers = (stream: StreamName): number => this.#live.filter(({ categories }) => categories.has(categoryOf(stream))).length;
    return Promise.resolve([...counts].filter(([stream, count]) => count === readers(stream)).map(([stream]) => stream));
  }

  /** Folds a parked stream anew up to each projection's checkpoint; later events are then applied as usual. */
  rebuildStream(stream: StreamName): Promise<StreamRebuilt> {
    return this.#context.mutex.take(async () => {
      const events = await streamEvents(this.#context, this.#categories, stream);
      const applied: string[] = [];
      const stillParked: string[] = [];
      for (const { name } of this.#projections) {
        const outcome = await this.#resume(name, stream, events);
        if (outcome === 'applied') applied.push(name);
        if (outcome === 'failed') stillParked.push(name);
      }
      return { applied, stillParked };
    });
  }

  /** Rewrites a corrupt row up to its projection's checkpoint, or deletes it where the log has no such stream. */
  repair({ projection, stream }: CorruptRow): Promise<void> {
    return this.#context.mutex.take(async () => {
      const events = await streamEvents(this.#context, this.#categories, stream);
      this.#changes = undefined;
      await this.#transact(async (db) => {
        const live = this.#live.find(({ projection: { name } }) => name === projection);
        if (live === undefined) return;
        const parkedFrom = live.parked.get(stream);
        const reached = events.filter(
          ({ position, revision }) => !this.#isBeyond(live, position) && (parkedFrom === undefined || revision < parkedFrom),
        );
        await live.table.resume(db, stream, reached, 0n);
        await lockFence(db, 'note');
      });
    });
  }

  async #resume(name: string, stream: StreamName, events: readonly BatchEvent[]): Promise<'applied' | 'failed' | 'not-parked'> {
    // Another process may have moved the checkpoint, so it is read again.
    this.#changes = undefined;
    try {
      return await this.#transact(async (db) => {
        const live = this.#live.find(({ projection }) => projection.name === name);
        const from = live?.parked.get(stream);
        if (live === undefined || from === undefined) return 'not-parked';
        const reached = events.filter(({ position }) => !this.#isBeyond(live, position));
        const resumed = await live.table.resume(db, stream, reached, from);
        if (resumed.kind === 'failed') await this.#park(db, live, [resumed.failure]);
        else await unpark(db, name, live.generation, stream);
        await lockFence(db, 'note');
        return resumed.kind;
      });
    } catch (error) {
      // The database refused the row, so the stream stays parked.
      if (!isDataFault(error)) throw error;
      return 'failed';
    }
  }

  async #applyTogether(batch: readonly BatchEvent[], upTo: Position): Promise<void> {
    const parked = await this.#transactAsOwner(async (db, epoch) => {
      const failed: (readonly [Live, readonly Failure[]])[] = [];
      for (const live of this.#live) {
        const failures = await live.table.gather(db, this.#newTo(live, batch), (stream) => live.parked.has(stream));
        await live.table.flush(db);
        await this.#park(db, live, failures);
        if (failures.length > 0) failed.push([live, failures]);
      }
      await this.#moveTo(db, upTo, epoch);
      return failed;
    });
    this.#committed(parked, upTo);
  }

  /** Applies each row alone after the database refused one of the batch. After a crash, rows already written are skipped. */
  async #applyApart(batch: readonly BatchEvent[], upTo: Position): Promise<void> {
    try {
      const parked: (readonly [Live, readonly Failure[]])[] = [];
      const serving = await this.#transactAsOwner(() => Promise.resolve(this.#live));
      const transact = <Result>(work: (db: Db, epoch: number) => Promise<Result>): Promise<Result> =>
        this.#transactAsOwner((db, epoch) => {
          // Rows of a replaced generation must not move the checkpoint of the serving one.
          if (this.#live !== serving) throw new StoreUnavailable('another generation took over within a batch');
          return work(db, epoch);
        });
      for (const live of serving) {
        const folded = await transact((db) => live.table.gather(db, this.#newTo(live, batch), (stream) => live.parked.has(stream)));
        parked.push([live, [...folded, ...(await live.table.flushApart(transact))]]);
      }
      await transact(async (db, epoch) => {
        for (const [live, failures] of parked) await this.#park(db, live, failures);
        await this.#moveTo(db, upTo, epoch);
      });
      this.#committed(parked, upTo);
    } catch (error) {
      this.#forget();
      throw asUnavailable(error);
    }
  }

  #newTo(live: Live, batch: readonly BatchEvent[]): readonly BatchEvent[] {
    const [first] = batch;
    const isAllNew = first === undefined || this.#isBeyond(live, first.position);
    return eventsOf(isAllNew ? batch : batch.filter(({ position }) => this.#isBeyond(live, position)), live.categories);
  }

  #isBeyond({ position: reached }: Live, position: Position): boolean {
    return reached === undefined || this.#context.log.comparePositions(position, reached) > 0;
  }

  #moveTo(db: Db, to: Position, epoch: number): Promise<void> {
    const moved = this.#live.filter((live) => this.#isBeyond(live, to));
    const checkpoints = moved.map(({ projection, generation, position }) => ({ projection: projection.name, generation, from: position }));
    return moveCheckpoints(db, checkpoints, { to, epoch }, this.#context.clock.now());
  }

  /** Updates the state in memory, which is only correct once the transaction is committed. */
  #committed(parked: readonly (readonly [Live, readonly Failure[]])[], upTo: Position): void {
    for (const live of this.#live) {
      live.table.committed();
      if (this.#isBeyond(live, upTo)) live.position = upTo;
    }
    const { clock, onParked } = this.#context;
    for (const [{ projection, parked: streams }, failures] of parked) {
      for (const { event, error } of failures) {
        streams.set(event.stream, event.revision);
        const { stream, revision, id } = event;
        const named = { projection: projection.name, stream, revision: Number(revision), eventId: id };
        onParked?.({ ...named, error: errorText(error), parkedAt: clock.now() });
      }
    }
  }

  #park(db: Db, { projection, generation }: Live, failures: readonly Failure[]): Promise<void> {
    return park(db, projection.name, generation, failures, this.#context.clock.now());
  }

  /** Drops the state in memory, since it is unknown whether the transaction was committed. */
  #forget(): void {
    for (const { table } of this.#live) table.forget();
    this.#changes = undefined;
  }

  /** Fences the transaction, so that of two projectors the one that claimed earlier writes nothing. */
  #transactAsOwner<Result>(work: (db: Db, epoch: number) => Promise<Result>): Promise<Result> {
    return this.#transact((db, fence) => {
      if (this.#epoch === undefined) throw new StoreUnavailable('this process does not project any more');
      this.#assertOwner(fence, this.#epoch);
      return work(db, this.#epoch);
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

  /** Loads changes of other processes before the work. */
  #transact<Result>(work: (db: Db, fence: Fence) => Promise<Result>): Promise<Result> {
    return this.#context.database.writes.transaction().execute(async (db) => {
      const fence = await lockFence(db);
      if (this.#changes !== fence.changes) await this.#load(db, fence.changes);
      return work(db, fence);
    });
  }

  async #load(db: Db, changes: number): Promise<void> {
    const serving = await servingGenerations(db);
    const reached = await checkpoints(db);
    const live: Live[] = [];
    for (const projection of this.#projections) {
      const served = serving.get(projection.name);
      if (served === undefined || served.shape !== projection.shape) continue;
      const { generation } = served;
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
    this.#live = live;
    this.#changes = changes;
  }
}
