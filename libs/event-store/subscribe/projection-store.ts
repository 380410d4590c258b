import type { Position, StoredEvent, StreamName } from '../core/port';

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
