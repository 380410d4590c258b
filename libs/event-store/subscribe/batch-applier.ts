import { StoreUnavailable, type Position, type StoredEvent, type StreamName } from '../core/port';
import type { ProjectionStore } from './projection-store';

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
