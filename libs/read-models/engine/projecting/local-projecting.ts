import { StoreUnavailable, type Position, type StoredEvent, type StreamName } from '@app/event-store';
import type { Clock } from '@app/kernel';
import type { Ownership, ReadModelDatabase } from '../database/database';
import { asUnavailable, asUnread } from '../faults';
import { type Partition, byOwnStream, WHOLE, type PartitionKey } from './partitions';
import { LiveGenerations, Mutex } from './live-generations';
import type { CorruptRow } from '../project-from-log';
import type { Decode, EventLog } from '../log-event';
import type { Projection } from '../projection';
import type { Reader } from '../reader';
import { type Rebuilt, Rebuilds } from '../rebuild/rebuilds';
import type { RebuildProgress } from '../rebuild/new-generations';
import { parkedStreamsIn } from './parked-streams';
import type { Projecting, ProjectingListener } from './projecting';
import { Projector, type ParkedStream } from './projector';
import { StreamRepair, type StreamRebuilt } from './stream-repair';

interface ProjectorRoleContext {
  readonly database: Pick<ReadModelDatabase, 'ownership'>;
  readonly live: LiveGenerations;
  readonly partition: Partition;
  readonly prepare: () => Promise<void>;
  readonly onWaiting?: (error: Error | undefined) => void;
}

/**
 * The exclusive right to project a partition. It is lost with its connection; after `release` it cannot be taken again.
 */
class ProjectorRole {
  readonly #live: LiveGenerations;
  readonly #prepare: () => Promise<void>;
  readonly #ownership: Ownership | undefined;
  #taken: Promise<Position | undefined> | undefined;
  #isLost = false;
  #isHeld = false;

  constructor({ database, live, partition, prepare, onWaiting }: ProjectorRoleContext) {
    this.#live = live;
    this.#prepare = prepare;
    this.#ownership = database.ownership?.({ onLost: () => this.#lose(), onWaiting: (error) => onWaiting?.(error) }, partition);
  }

  get isHeld(): boolean {
    return this.#isHeld && !this.#isLost;
  }

  /**
   * Returns the lowest checkpoint, or undefined if a projection has none.
   * @throws StoreUnavailable
   */
  take(): Promise<Position | undefined> {
    this.#taken = this.#take();
    return this.#taken;
  }

  /** @throws StoreUnavailable if the role was lost */
  async held(): Promise<void> {
    if (this.#isLost) throw new StoreUnavailable('another process may project by now');
    await (this.#taken ?? this.take());
  }

  /** Permanent. A waiting `take` rejects. */
  async release(): Promise<void> {
    this.#isHeld = false;
    await this.#ownership?.release();
  }

  async #take(): Promise<Position | undefined> {
    try {
      await this.#ownership?.acquire();
      if (this.#isLost || (await this.#isOvertaken())) this.#live.resign();
      this.#isLost = false;
      await this.#prepare();
      const checkpoint = await this.#live.claim();
      this.#isHeld = true;
      return checkpoint;
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  /**
   * A process that does not know yet of its loss may claim after its successor; then the successor claims again.
   * @throws Error if this process lost the role
   */
  async #isOvertaken(): Promise<boolean> {
    if (this.#ownership === undefined || !this.#live.isFencedOut) return false;
    await this.#ownership.confirm();
    return true;
  }

  #lose(): void {
    this.#isLost = true;
    this.#live.resign();
  }
}

interface LocalProjectingSettings extends ProjectingListener {
  readonly database: ReadModelDatabase;
  readonly projections: readonly Projection[];
  readonly reader: Reader;
  readonly log: EventLog;
  readonly decode: Decode;
  readonly clock: Clock;
  /** All streams if absent. */
  readonly partition?: Partition | undefined;
  readonly partitionKey?: PartitionKey | undefined;
  readonly gatheredRowsMax?: number;
  readonly onProgress?: (progress: RebuildProgress) => void;
}

const PARKED_ALARMS_MAX = 100;

export class LocalProjecting implements Projecting {
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
    // Only the first partition builds. Of two concurrent rebuilds, the later one would drop the other's tables as
    // remains.
    if (this.#partition.number !== WHOLE.number) return this.#rebuilds.assertBuilt();
    await this.#alarmParkedIn(await this.build());
  }

  async #alarmParkedIn(built: Rebuilt | undefined): Promise<void> {
    if (built === undefined || built.parkedStreams === 0 || this.#onParked === undefined) return;
    const parked = await parkedStreamsIn(this.#database.reads, PARKED_ALARMS_MAX);
    for (const one of parked) if (built.projections.some(({ projection }) => projection === one.projection)) this.#onParked(one);
  }
}
