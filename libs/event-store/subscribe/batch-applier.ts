import { type Position, type StoredEvent, type StreamName, StoreUnavailable } from '../core/port';

/** The storage of a projection or of a reactor's memory. */
export interface ProjectionStore {
  /** Position of the last applied batch; undefined before the first. */
  position(): Promise<Position | undefined>;
  /** Streams that are parked now. */
  parked(): Promise<readonly StreamName[]>;
  /** Whether the event is one of those that this process stores; each is, where it is absent. Of others only the position is told, and `apply` ignores them. */
  takes?(event: StoredEvent): boolean;
  /**
   * Stores all events and the checkpoint in one transaction, or nothing. The batch is empty where only the checkpoint moves.
   * @throws StoreUnavailable where the store is unavailable, so that the batch is retried; any other error is blamed on the events
   */
  apply(batch: readonly StoredEvent[], upTo: Position): Promise<void>;
  /** Records the stream with the error and moves the checkpoint over the event in one transaction; the event is not applied. */
  park(event: StoredEvent, error: Error): Promise<void>;
  /**
   * Lets another process project, for good. Where only one of several processes may project, `position` waits until it is this one; a waiting
   * `position` then rejects.
   */
  release?(): Promise<void>;
}

/** Applies batches to a projection without the streams that it has parked, and parks the stream of an event that cannot be applied. */
export class BatchApplier {
  readonly #projection: ProjectionStore;
  readonly #onParked: (event: StoredEvent, error: Error) => void;
  readonly #parked = new Set<StreamName>();

  /** @param onParked called once the stream is parked and the checkpoint has moved over its event */
  constructor(projection: ProjectionStore, onParked: (event: StoredEvent, error: Error) => void) {
    this.#projection = projection;
    this.#onParked = onParked;
  }

  get parkedStreams(): number {
    return this.#parked.size;
  }

  /** Reads which streams are parked now. */
  async readParked(): Promise<void> {
    const parked = await this.#projection.parked();
    this.#parked.clear();
    for (const stream of parked) this.#parked.add(stream);
  }

  /** Returns the events that were meant to be applied. @throws StoreUnavailable where the batch must be retried */
  async apply(batch: readonly StoredEvent[], upTo: Position): Promise<readonly StoredEvent[]> {
    const applicable = this.#parked.size === 0 ? batch : batch.filter(({ stream }) => !this.#parked.has(stream));
    try {
      await this.#projection.apply(applicable, upTo);
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      await this.#applyOneByOne(applicable, upTo);
    }
    return applicable;
  }

  async park(event: StoredEvent, error: Error): Promise<void> {
    await this.#projection.park(event, error);
    this.#parked.add(event.stream);
    this.#onParked(event, error);
  }

  /** Applies each event alone to find the one that fails, and parks its stream. */
  async #applyOneByOne(batch: readonly StoredEvent[], upTo: Position): Promise<void> {
    for (const event of batch) {
      if (this.#parked.has(event.stream)) continue;
      try {
        await this.#projection.apply([event], event.position);
      } catch (error) {
        if (error instanceof StoreUnavailable) throw error;
        await this.park(event, error instanceof Error ? error : new Error(String(error)));
      }
    }
    await this.#projection.apply([], upTo);
  }
}
