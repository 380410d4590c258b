import type { Position, StoredEvent, StreamName } from '@app/event-store';
import type { Clock } from '@app/kernel';
import type { CorruptRow } from '../fold-from-log';
import type { ReadModelDatabase } from '../database/database';
import { asUnread } from '../faults';
import type { Decode, EventLog } from '../log-event';
import { Mutex } from '../mutex';
import { byOwnStream, WHOLE, type Partition, type PartitionKey } from './partition';
import type { Projection } from '../projection';
import type { Reader } from '../reader';
import type { Rebuilt } from '../rebuild/rebuild';
import type { RebuildProgress } from '../rebuild/rebuild-context';
import { Rebuilds } from '../rebuild/rebuilds';
import { LiveGenerations } from './live-generations';
import { parkedStreamsIn } from './parked-streams';
import type { Projecting, ProjectingNews } from './projecting';
import { Projector, type ParkedStream } from './projector';
import { ProjectorRole } from './projector-role';
import { StreamRepair, type StreamRebuilt } from './stream-repair';

export interface LocalProjectingSettings extends ProjectingNews {
  readonly database: ReadModelDatabase;
  readonly projections: readonly Projection[];
  readonly reader: Reader;
  /** The log for rebuilds and single streams; the checkpoints are positions in it. */
  readonly log: EventLog;
  readonly decode: Decode;
  readonly clock: Clock;
  /** All streams where it is absent. */
  readonly partition?: Partition | undefined;
  readonly partitionKey?: PartitionKey | undefined;
  /** Maximum of rows that a rebuild gathers before it writes them. */
  readonly gatheredRowsMax?: number;
  /** Called after every batch of a rebuild. */
  readonly onProgress?: (progress: RebuildProgress) => void;
}

/** Maximum of alarms for streams that a build at the start parked. */
const PARKED_ALARMS_MAX = 100;

/** Writes the read models on the thread that calls it. */
export class LocalProjecting implements Projecting {
  /** Batches, switches of generations and repairs, one at a time. */
  readonly #mutex = new Mutex();
  readonly #database: ReadModelDatabase;
  readonly #partition: Partition;
  readonly #onParked: ((parked: ParkedStream) => void) | undefined;
  readonly #live: LiveGenerations;
  readonly #role: ProjectorRole;
  readonly #projector: Projector;
  readonly #repair: StreamRepair;
  readonly #rebuilds: Rebuilds;

  constructor({ projections, partition = WHOLE, partitionKey = byOwnStream, ...settings }: LocalProjectingSettings) {
    this.#database = settings.database;
    this.#partition = partition;
    this.#onParked = settings.onParked;
    const context = { ...settings, partition, partitionKey, mutex: this.#mutex };
    this.#live = new LiveGenerations(context, projections);
    this.#role = new ProjectorRole({ ...context, live: this.#live, prepare: () => this.#prepare() });
    this.#projector = new Projector(context, this.#live);
    this.#repair = new StreamRepair(context, this.#live);
    this.#rebuilds = new Rebuilds(context, projections);
  }

  get isFencedOut(): boolean {
    return this.#live.isFencedOut;
  }

  get hasFirstPartition(): boolean {
    return this.#role.isHeld && this.#partition.number === WHOLE.number;
  }

  build(): Promise<Rebuilt | undefined> {
    return this.#rebuilds.buildMissing();
  }

  abandonAheadOfLog(): Promise<readonly string[]> {
    return this.#rebuilds.abandonAheadOfLog();
  }

  /** As `LocalReadModel.rebuild`. */
  rebuild(which: 'all' | readonly string[]): Promise<Rebuilt> {
    return this.#rebuilds.rebuild(which);
  }

  async rebuildStream(stream: StreamName): Promise<StreamRebuilt> {
    try {
      return await this.#repair.resume(stream);
    } catch (error) {
      throw asUnread(error);
    }
  }

  rewrite(row: CorruptRow): Promise<void> {
    return this.#repair.rewrite(row);
  }

  position(): Promise<Position | undefined> {
    return this.#role.take();
  }

  async release(): Promise<void> {
    await this.#mutex.take(() => this.#role.release());
  }

  parked(): Promise<readonly StreamName[]> {
    return Promise.resolve(this.#live.parkedEverywhere());
  }

  takes(event: StoredEvent): boolean {
    return this.#projector.takes(event);
  }

  async apply(batch: readonly StoredEvent[], upTo: Position): Promise<void> {
    await this.#role.held();
    await this.#projector.apply(batch, upTo);
  }

  async park(event: StoredEvent, error: Error): Promise<void> {
    await this.#role.held();
    await this.#projector.parkEverywhere(event, error);
  }

  async close(): Promise<void> {
    await this.release();
    await this.#mutex.take(() => this.#database.close());
  }

  async #prepare(): Promise<void> {
    await this.abandonAheadOfLog();
    // One builds, and the others wait for it: of two rebuilds the later one takes the tables of the other for remains.
    if (this.#partition.number !== WHOLE.number) return this.#rebuilds.assertBuilt();
    await this.#alarmParkedIn(await this.build());
  }

  async #alarmParkedIn(built: Rebuilt | undefined): Promise<void> {
    if (built === undefined || built.parkedStreams === 0 || this.#onParked === undefined) return;
    const parked = await parkedStreamsIn(this.#database.reads, PARKED_ALARMS_MAX);
    for (const one of parked) if (built.projections.some(({ projection }) => projection === one.projection)) this.#onParked(one);
  }
}
