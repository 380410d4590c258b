import { type Position, type StoredEvent, type StreamName, StoreUnavailable } from '../core/port';

export interface ProjectionStore {
  position(): Promise<Position | undefined>;
  parked(): Promise<readonly StreamName[]>;
  /** Whether this process stores the event; if undefined, it stores all. For other events `apply` only moves the position. */
  takes?(event: StoredEvent): boolean;
  /**
   * Stores all events and the checkpoint in one transaction. The batch is empty if only the checkpoint moved.
   * @throws StoreUnavailable to retry the batch; any other error parks the stream of an event
   */
  apply(batch: readonly StoredEvent[], upTo: Position): Promise<void>;
  /** Records the stream with the error and moves the checkpoint past the event, in one transaction. */
  park(event: StoredEvent, error: Error): Promise<void>;
  /**
   * Lets another process project, permanently. If only one process may project, `position` waits for that role and rejects after `release`.
   */
  release?(): Promise<void>;
}

export class BatchApplier {
  readonly #projection: ProjectionStore;
  readonly #onParked: (event: StoredEvent, error: Error) => void;
  readonly #parked = new Set<StreamName>();

  /** @param onParked called after the stream is parked and the checkpoint has moved past its event */
  constructor(projection: ProjectionStore, onParked: (event: StoredEvent, error: Error) => void) {
    this.#projection = projection;
    this.#onParked = onParked;
  }

  get parkedStreams(): number {
    return this.#parked.size;
  }

  async readParked(): Promise<void> {
    const parked = await this.#projection.parked();
    this.#parked.clear();
    for (const stream of parked) this.#parked.add(stream);
  }

  /**
   * Returns the applied events.
   * @throws StoreUnavailable if the batch must be retried
   */
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
