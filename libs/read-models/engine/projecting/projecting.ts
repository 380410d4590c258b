import type { ProjectionStore, StreamName } from '@app/event-store';
import type { CorruptRow } from '../project-from-log';
import type { Rebuilt } from '../rebuild/rebuilds';
import type { ParkedStream } from './projector';
import type { StreamRebuilt } from './stream-repair';

export interface ProjectingListener {
  /** Raises an alarm: the log lacks events that these projections contain. They answer no query until they are rebuilt. */
  readonly onAheadOfLog?: (projections: readonly string[]) => void;
  /** Raises an alarm: a projection continues without this stream until an operator resumes it. */
  readonly onParked?: (parked: ParkedStream) => void;
  /** Raises an alarm: a corrupt row is rebuilt from its stream, for the answer and in its table. */
  readonly onCorruptRow?: (row: CorruptRow) => void;
  readonly onWaiting?: (error: Error | undefined) => void;
}

export interface Projecting extends Required<ProjectionStore> {
  /** At most one process projects the first partition. It also performs the tasks that only one process may perform. */
  readonly hasFirstPartition: boolean;
  /** Whether another process projects into the same tables without the ownership, perhaps from another log. */
  readonly isFencedOut: boolean;
  build(): Promise<Rebuilt | undefined>;
  /**
   * Drops projections that are ahead of the log. Call it before this process appends: new events may get the positions of lost ones.
   * @throws StoreUnavailable
   */
  abandonAheadOfLog(): Promise<readonly string[]>;
  /** Resumes a parked stream in each projection that parked it (architecture, rule 15). */
  rebuildStream(stream: StreamName): Promise<StreamRebuilt>;
  rewrite(row: CorruptRow): Promise<void>;
  close(): Promise<void>;
}
