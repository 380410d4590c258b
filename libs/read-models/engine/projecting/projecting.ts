import type { ProjectionStore, StreamName } from '@app/event-store';
import type { CorruptRow } from '../fold-from-log';
import type { Rebuilt } from '../rebuild/rebuilds';
import type { ParkedStream } from './projector';
import type { StreamRebuilt } from './stream-repair';

/** What whoever writes the read models tells, by itself. */
export interface ProjectingNews {
  /** Raises an alarm: the log lacks events that these projections were folded from. They answer nothing until they are folded anew. */
  readonly onAheadOfLog?: (projections: readonly string[]) => void;
  /** Raises an alarm: a projection continues without this stream until an operator resumes it. */
  readonly onParked?: (parked: ParkedStream) => void;
  /** Raises an alarm: a row is corrupt, and is folded anew from its stream for the answer and in its table. */
  readonly onCorruptRow?: (row: CorruptRow) => void;
  /**
   * Called every second while another process projects or the database is unavailable. Reactors of this process then read their memory, because the
   * other process may have projected due work.
   */
  readonly onWaiting?: (error: Error | undefined) => void;
}

/** The side of the read models that writes: it follows the log, builds generations of them and repairs their rows. Everything that asks is apart from it. */
export interface Projecting extends Required<ProjectionStore> {
  /** Whether this process projects the first partition, as far as it knows: of all processes one does, which is who does what one alone may. */
  readonly hasFirstPartition: boolean;
  /** Whether another process projects into the same tables without holding the ownership, perhaps from another log. */
  readonly isFencedOut: boolean;
  /** Builds only projections that were never built or that changed their shape; undefined where there are none. */
  build(): Promise<Rebuilt | undefined>;
  /**
   * Drops projections that are ahead of the log. Call it before this process appends, since new events may get the positions of lost ones.
   * @throws StoreUnavailable
   */
  abandonAheadOfLog(): Promise<readonly string[]>;
  /** Resumes a parked stream in each projection that parked it (architecture, rule 15). */
  rebuildStream(stream: StreamName): Promise<StreamRebuilt>;
  /** Writes a corrupt row anew from its stream. */
  rewrite(row: CorruptRow): Promise<void>;
  /** Gives the role up and closes the database. */
  close(): Promise<void>;
}
