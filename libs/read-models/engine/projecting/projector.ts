import { ChainChecker, StoreUnavailable, type Position, type StoredEvent, type StreamName } from '@app/event-store';
import type { Instant } from '@app/kernel';
import type { Db } from '../database/tables';
import { asUnavailable, errorText, isDataFault, type Failure } from '../faults';
import { eventsOf, readBatch, type BatchEvent } from '../log-event';
import { isOfPartition, type PartitionKey } from './partitions';
import { moveCheckpoints } from '../projection-registry';
import type { LiveGeneration, LiveGenerations, LiveGenerationsContext } from './live-generations';

export interface ProjectorContext extends LiveGenerationsContext {
  readonly onParked?: (parked: ParkedStream) => void;
  readonly partitionKey: PartitionKey;
}

export interface ParkedStream {
  readonly projection: string;
  readonly stream: StreamName;
  readonly revision: number;
  readonly eventId: string;
  /** Description without data of the event. */
  readonly error: string;
  readonly parkedAt: Instant;
}

type Failures = readonly (readonly [LiveGeneration, readonly Failure[]])[];

/** Applies the log to the serving generations. All tables of a batch and their checkpoints share one transaction (safety, F18). */
export class Projector {
  readonly #context: ProjectorContext;
  readonly #live: LiveGenerations;
  readonly #chains: ChainChecker;

  constructor(context: ProjectorContext, live: LiveGenerations) {
    this.#context = context;
    this.#live = live;
    this.#chains = new ChainChecker(context.log);
  }

  takes(event: StoredEvent): boolean {
    const { partition, partitionKey } = this.#context;
    return partition.of === 1 || isOfPartition(partition, partitionKey(event));
  }

  /**
   * Decodes each event once for all projections. A projection that cannot apply it parks the stream.
   * @throws StoreUnavailable if the batch must be retried; applied events are then skipped
   */
  apply(stored: readonly StoredEvent[], upTo: Position): Promise<void> {
    return this.#context.mutex.take(async () => {
      const own = stored.filter((event) => this.takes(event));
      const batch = readBatch(own, this.#live.categories, this.#context.decode, await this.#chains.faultsIn(own));
      try {
        await this.#applyTogether(batch, upTo);
      } catch (error) {
        this.#live.forget();
        if (!isDataFault(error)) throw asUnavailable(error);
        await this.#applyApart(batch, upTo);
      }
    });
  }

  /**
   * Parks the stream in every projection of its category.
   * @throws StoreUnavailable
   */
  parkEverywhere(stored: StoredEvent, error: Error): Promise<void> {
    const own = this.takes(stored) ? [stored] : [];
    const batch = readBatch(own, this.#live.categories, this.#context.decode, new Map([[stored, error]]));
    return this.#context.mutex
      .take(() => this.#applyTogether(batch, stored.position))
      .catch((failure: unknown) => {
        this.#live.forget();
        throw asUnavailable(failure);
      });
  }

  async #applyTogether(batch: readonly BatchEvent[], upTo: Position): Promise<void> {
    const parked = await this.#live.transactAsOwner(async (db, epoch) => {
      const failed: (readonly [LiveGeneration, readonly Failure[]])[] = [];
      for (const live of this.#live.all) {
        const failures = await live.table.gather(db, this.#newTo(live, batch), (stream) => live.parked.has(stream));
        await live.table.flush(db);
        await this.#live.park(db, live, failures);
        if (failures.length > 0) failed.push([live, failures]);
      }
      await this.#moveTo(db, upTo, epoch);
      return failed;
    });
    this.#committed(parked, upTo);
  }

  /** Applies each row separately after the database refused one of the batch. After a crash, rows already written are skipped. */
  async #applyApart(batch: readonly BatchEvent[], upTo: Position): Promise<void> {
    try {
      const parked: (readonly [LiveGeneration, readonly Failure[]])[] = [];
      const serving = await this.#live.transactAsOwner(() => Promise.resolve(this.#live.all));
      const transact = <Result>(work: (db: Db, epoch: number) => Promise<Result>): Promise<Result> =>
        this.#live.transactAsOwner((db, epoch) => {
          // Rows of a replaced generation must not move the checkpoint of the serving one.
          if (this.#live.all !== serving) throw new StoreUnavailable('another generation took over within a batch');
          return work(db, epoch);
        });
      for (const live of serving) {
        const folded = await transact((db) => live.table.gather(db, this.#newTo(live, batch), (stream) => live.parked.has(stream)));
        parked.push([live, [...folded, ...(await live.table.flushApart(transact))]]);
      }
      await transact(async (db, epoch) => {
        for (const [live, failures] of parked) await this.#live.park(db, live, failures);
        await this.#moveTo(db, upTo, epoch);
      });
      this.#committed(parked, upTo);
    } catch (error) {
      this.#live.forget();
      throw asUnavailable(error);
    }
  }

  #newTo(live: LiveGeneration, batch: readonly BatchEvent[]): readonly BatchEvent[] {
    const [first] = batch;
    const isAllNew = first === undefined || this.#live.isBeyond(live, first.position);
    return eventsOf(isAllNew ? batch : batch.filter(({ position }) => this.#live.isBeyond(live, position)), live.categories);
  }

  #moveTo(db: Db, to: Position, epoch: number): Promise<void> {
    const moved = this.#live.all.filter((live) => this.#live.isBeyond(live, to));
    const checkpoints = moved.map(({ projection, generation, position }) => ({ projection: projection.name, generation, from: position }));
    return moveCheckpoints(db, checkpoints, { to, epoch, partition: this.#context.partition.number }, this.#context.clock.now());
  }

  /** Updates the state in memory. Call it only after the commit. */
  #committed(parked: Failures, upTo: Position): void {
    for (const live of this.#live.all) {
      live.table.committed();
      if (this.#live.isBeyond(live, upTo)) live.position = upTo;
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
}
