import type { OpenWork, Position, StoredEvent, StreamName } from '@app/event-store';
import type { Clock, Instant } from '@app/kernel';
import type { CorruptRow, ProjectFromLog } from './engine/project-from-log';
import type { ReadModelDatabase } from './engine/database/database';
import { asUnread } from './engine/faults';
import type { EventLog } from './engine/log-event';
import { EventRate } from './event-rate';
import { leastOf } from './engine/projecting/partitions';
import { parkedStreamsIn } from './engine/projecting/parked-streams';
import type { Projecting } from './engine/projecting/projecting';
import type { ParkedStream } from './engine/projecting/projector';
import type { StreamRebuilt } from './engine/projecting/stream-repair';
import type { Projection } from './engine/projection';
import { projectionStates } from './engine/projection-registry';
import type { Reader } from './engine/reader';
import type { Rebuilt } from './engine/rebuild/rebuilds';
import { contentsOf, type ProjectionContents } from './projection-contents';
import { Queries } from './read-model-queries';

export interface ReadModelParts {
  readonly projections: readonly Projection[];
  readonly database: Pick<ReadModelDatabase, 'reads'>;
  readonly log: Pick<EventLog, 'comparePositions'>;
  readonly reader: Reader;
  readonly projectFromLog: ProjectFromLog;
  readonly projecting: Projecting;
  readonly openWork: ReadonlyMap<string, OpenWork>;
  readonly clock: Clock;
}

export interface ProjectionHealth {
  readonly projection: string;
  readonly categories: readonly string[];
  readonly generation: number | undefined;
  /** The lowest checkpoint of all partitions, for comparison with the log's head. */
  readonly position: Position | undefined;
  readonly appliedAt: Instant | undefined;
  readonly parkedStreams: number;
}

/** Repairs corrupt rows in the background, each once at a time. After a failure the next query tries again. */
export const rewritingOnce = (rewrite: (row: CorruptRow) => Promise<void>): ((row: CorruptRow) => void) => {
  const underWay = new Set<string>();
  return (row) => {
    const name = `${row.projection} ${row.stream}`;
    if (underWay.has(name)) return;
    underWay.add(name);
    rewrite(row)
      .catch(() => undefined)
      .finally(() => underWay.delete(name));
  };
};

/** The read models of one log: projecting, rebuilding and querying (architecture, rules 9, 10 and 15). */
export class ReadModel extends Queries implements Projecting {
  /** Categories that the one subscription must read. */
  readonly categories: readonly string[];
  protected readonly parts: ReadModelParts;
  readonly #rate: EventRate;

  constructor(parts: ReadModelParts) {
    super(parts.reader, parts.projectFromLog);
    this.parts = parts;
    this.#rate = new EventRate(parts.clock);
    this.categories = [...new Set(parts.projections.flatMap(({ categories }) => categories))];
  }

  /** @throws Error if the settings do not contain the name */
  openWork(name: string): OpenWork {
    const work = this.parts.openWork.get(name);
    if (work === undefined) throw new Error(`there is no open work named ${name}`);
    return work;
  }

  build(): Promise<Rebuilt | undefined> {
    return this.parts.projecting.build();
  }

  abandonAheadOfLog(): Promise<readonly string[]> {
    return this.parts.projecting.abandonAheadOfLog();
  }

  get isFencedOut(): boolean {
    return this.parts.projecting.isFencedOut;
  }

  get hasFirstPartition(): boolean {
    return this.parts.projecting.hasFirstPartition;
  }

  rebuildStream(stream: StreamName): Promise<StreamRebuilt> {
    return this.parts.projecting.rebuildStream(stream);
  }

  rewrite(row: CorruptRow): Promise<void> {
    return this.parts.projecting.rewrite(row);
  }

  /**
   * Waits to become the projector, then builds missing projections. Returns the lowest checkpoint; projections skip
   * events that they already have.
   * @throws StoreUnavailable
   */
  position(): Promise<Position | undefined> {
    return this.parts.projecting.position();
  }

  /** Permanently lets another process project. A waiting `position` rejects. */
  release(): Promise<void> {
    return this.parts.projecting.release();
  }

  /** Streams that every projection of their category has parked; the subscription can drop their events. */
  parked(): Promise<readonly StreamName[]> {
    return this.parts.projecting.parked();
  }

  takes(event: StoredEvent): boolean {
    return this.parts.projecting.takes(event);
  }

  /**
   * Parks events that cannot be applied.
   * @throws StoreUnavailable if the database fails or another process projects
   */
  async apply(batch: readonly StoredEvent[], upTo: Position): Promise<void> {
    await this.parts.projecting.apply(batch, upTo);
    this.#rate.add(batch.length);
  }

  /** Events of the log that this process projected in each of the last 60 seconds, on average. Undefined if it does not project. */
  get eventsPerSecond(): number | undefined {
    return this.isFencedOut ? undefined : this.#rate.perSecond;
  }

  park(event: StoredEvent, error: Error): Promise<void> {
    return this.parts.projecting.park(event, error);
  }

  /** @throws StoreUnavailable */
  async health(): Promise<readonly ProjectionHealth[]> {
    const states = await projectionStates(this.parts.database.reads).catch((error: unknown) => {
      throw asUnread(error);
    });
    return this.parts.projections.map(({ name, categories }) => {
      const state = states.get(name);
      return {
        projection: name,
        categories,
        generation: state?.generation,
        position: state && leastOf(state.positions, (a, b) => this.parts.log.comparePositions(a, b)),
        appliedAt: state?.appliedAt,
        parkedStreams: state?.parkedStreams ?? 0,
      };
    });
  }

  /** Reads every row, so no request may call it. */
  contents(): Promise<readonly ProjectionContents[]> {
    return contentsOf(this.parts.database.reads, this.parts.projections);
  }

  parkedStreams(limit: number): Promise<readonly ParkedStream[]> {
    return parkedStreamsIn(this.parts.database.reads, limit);
  }

  close(): Promise<void> {
    return this.parts.projecting.close();
  }
}
