import { categoryOf, ChainWatch, StoreUnavailable, type Position, type StoredEvent, type StreamName } from '@app/event-store';
import type { Clock, Instant } from '@app/kernel';
import type { ReadModelDatabase } from './database/database';
import { asUnavailable, errorText, isDataFault, type Failure } from './faults';
import { readBatch, type BatchEvent, type Decode } from './log-event';
import type { Projection, ProjectionTable } from './projection';
import { theLog, type RottenRow } from './mending/mending';
import { eventsOf, type EventLog } from './rebuild/rebuild';
import {
  assertEpoch,
  checkpoints,
  enter,
  moveCheckpoints,
  park,
  parkedStreams,
  servingGenerations,
  stampEpoch,
  FencedOut,
  unpark,
  type Fence,
} from './register';
import type { Db } from './database/tables';
import { streamEvents } from './stream-events';
import type { Mutex } from './mutex';

export interface ProjectorContext {
  readonly database: ReadModelDatabase;
  readonly log: EventLog;
  readonly decode: Decode;
  readonly clock: Clock;
  readonly turns: Mutex;
  readonly onParked?: (parked: ParkedStream) => void;
  readonly onRotten?: (rotten: RottenRow) => void;
}

export interface ParkedStream {
  readonly projection: string;
  readonly stream: StreamName;
  /** The first event that was not applied. */
  readonly revision: number;
  readonly eventId: string;
  /** Without any data of the event. */
  readonly error: string;
  readonly parkedAt: Instant;
}

/** Which of the projections that had parked a stream go on with it, and which met the next event that they cannot apply. */
export interface StreamRebuilt {
  readonly applied: readonly string[];
  readonly stillParked: readonly string[];
}

/** A projection's generation that serves, and is kept up with the log. */
interface Live {
  readonly projection: Projection;
  readonly categories: ReadonlySet<string>;
  readonly generation: number;
  readonly table: ProjectionTable;
  readonly parked: Map<StreamName, bigint>;
  position: Position | undefined;
}

/** Applies the log to the generations that serve: all tables of a batch and their checkpoints in one transaction (safety, F18). */
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

  /** Another process claimed after this one, which writes nothing more until it resigns. */
  get isFencedOut(): boolean {
    return this.#isFencedOut;
  }

  /** From here on this process projects and no other (safety, F22). The least of the checkpoints, or undefined where one has none. */
  claim(): Promise<Position | undefined> {
    return this.#context.turns.take(async () => {
      this.#epoch = await this.#transact(async (db, fence) => {
        if (this.#epoch !== undefined) {
          this.#assertOwner(fence, this.#epoch);
          return this.#epoch;
        }
        const { epoch } = await enter(db, 'claim');
        await stampEpoch(db, epoch);
        return epoch;
      });
      const [first, ...others] = this.#live.map(({ position }) => position);
      const { log } = this.#context;
      return others.reduce((a, b) => (a === undefined || b === undefined ? undefined : log.comparePositions(a, b) <= 0 ? a : b), first);
    });
  }

  /** Writes nothing more until it has claimed anew. */
  resign(): void {
    this.#epoch = undefined;
    this.#isFencedOut = false;
  }

  /**
   * Each event is decoded once and applied by every projection of its category; one that cannot apply it parks the stream for itself.
   * @throws StoreUnavailable: nothing was applied, or what was is skipped when it comes again
   */
  apply(stored: readonly StoredEvent[], upTo: Position): Promise<void> {
    return this.#context.turns.take(async () => {
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

  /** For every projection that reads the event's category; all go on after it. @throws StoreUnavailable */
  parkEverywhere(stored: StoredEvent, error: Error): Promise<void> {
    const batch = readBatch([stored], this.#categories, this.#context.decode, new Map([[stored, error]]));
    return this.#context.turns
      .take(() => this.#applyTogether(batch, stored.position))
      .catch((failure: unknown) => {
        this.#forget();
        throw asUnavailable(failure);
      });
  }

  /** Streams that no projection of their category goes on with. */
  parkedEverywhere(): Promise<readonly StreamName[]> {
    const counts = new Map<StreamName, number>();
    for (const { parked } of this.#live) for (const stream of parked.keys()) counts.set(stream, (counts.get(stream) ?? 0) + 1);
    const readers = (stream: StreamName): number => this.#live.filter(({ categories }) => categories.has(categoryOf(stream))).length;
    return Promise.resolve([...counts].filter(([stream, count]) => count === readers(stream)).map(([stream]) => stream));
  }

  /** Folds a parked stream anew, as far as each projection has come; later events follow as ever. */
  rebuildStream(stream: StreamName): Promise<StreamRebuilt> {
    return this.#context.turns.take(async () => {
      const events = await streamEvents(this.#context, this.#categories, stream);
      const applied: string[] = [];
      const stillParked: string[] = [];
      for (const { name } of this.#projections) {
        const outcome = await this.#takeUp(name, stream, events);
        if (outcome === 'applied') applied.push(name);
        if (outcome === 'failed') stillParked.push(name);
      }
      return { applied, stillParked };
    });
  }

  /** Writes the row of a stream anew that rotted, as far as its projection has come; where the log has no such stream it goes. */
  repair({ projection, stream }: RottenRow): Promise<void> {
    return this.#context.turns.take(async () => {
      const events = await streamEvents(this.#context, this.#categories, stream);
      this.#changes = undefined;
      await this.#transact(async (db) => {
        const live = this.#live.find(({ projection: { name } }) => name === projection);
        if (live === undefined) return;
        const parkedFrom = live.parked.get(stream);
        const reached = events.filter(
          ({ position, revision }) => !this.#isBeyond(live, position) && (parkedFrom === undefined || revision < parkedFrom),
        );
        await live.table.takeUp(db, stream, reached, 0n);
        await enter(db, 'note');
      });
    });
  }

  async #takeUp(name: string, stream: StreamName, events: readonly BatchEvent[]): Promise<'applied' | 'failed' | 'not-parked'> {
    // Another process may have moved the checkpoint, which says how far the stream is folded here.
    this.#changes = undefined;
    try {
      return await this.#transact(async (db) => {
        const live = this.#live.find(({ projection }) => projection.name === name);
        const from = live?.parked.get(stream);
        if (live === undefined || from === undefined) return 'not-parked';
        const reached = events.filter(({ position }) => !this.#isBeyond(live, position));
        const takenUp = await live.table.takeUp(db, stream, reached, from);
        if (takenUp.kind === 'failed') await this.#park(db, live, [takenUp.failure]);
        else await unpark(db, name, live.generation, stream);
        await enter(db, 'note');
        return takenUp.kind;
      });
    } catch (error) {
      // Refused by the database itself: it stays parked as it was.
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

  /** The database refused a row of the batch: each row by itself. What a crash leaves half done is skipped when it comes again. */
  async #applyApart(batch: readonly BatchEvent[], upTo: Position): Promise<void> {
    try {
      const parked: (readonly [Live, readonly Failure[]])[] = [];
      const serving = await this.#transactAsOwner(() => Promise.resolve(this.#live));
      const transact = <Result>(work: (db: Db, epoch: number) => Promise<Result>): Promise<Result> =>
        this.#transactAsOwner((db, epoch) => {
          // Rows in a table that serves no more must not move the checkpoint of the one that does.
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

  /** What the transaction stored is believed only now. */
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

  /** What is in memory follows from a transaction of which nobody knows whether it was stored. */
  #forget(): void {
    for (const { table } of this.#live) table.forget();
    this.#changes = undefined;
  }

  /** Fenced: of two processes that project, the one that claimed earlier writes nothing more. */
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

  /** What another process changed is looked up before anything is done. */
  #transact<Result>(work: (db: Db, fence: Fence) => Promise<Result>): Promise<Result> {
    return this.#context.database.writes.transaction().execute(async (db) => {
      const fence = await enter(db);
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
        table: projection.table(generation, false, theLog(this.#context, projection)),
        parked: await parkedStreams(db, projection.name, generation),
        position: row.position === null ? undefined : (row.position as Position),
      });
    }
    this.#live = live;
    this.#changes = changes;
  }
}
