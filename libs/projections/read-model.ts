import type { OpenWork, Position, ProjectionStore, StoredEvent, StreamName } from '@app/event-store';
import type { Clock, Instant, Scheduler } from '@app/kernel';
import { CardReferenceQueries } from './read-models/card-reference/card-reference.queries';
import { contentsOf, type ProjectionContents } from './projection-contents';
import type { ReadModelDatabase, ReadModelAddress } from './engine/database/database';
import { asUnread } from './engine/faults';
import type { Decode, EventLog } from './engine/log-event';
import { foldingFromLog, type CorruptRow } from './engine/corruption/fold-from-log';
import { openWorkStore } from './read-models/open-work/open-work.store';
import { openWorkProjection, type OpenWorkDefinition } from './read-models/open-work/open-work.table';
import { openReadModelDatabase } from './engine/database/open-database';
import { GateAttemptsQueries } from './read-models/gate-attempts/gate-attempts.queries';
import { ReconciliationCaseQueries } from './read-models/reconciliation-cases/reconciliation-case.queries';
import { MentionQueries } from './read-models/mentions/mentions.queries';
import { OrderListQueries } from './read-models/order-list/order-list.queries';
import { OrderSearchQueries } from './read-models/order-search/order-search.queries';
import { OperatorOrderQueries } from './read-models/order-status/operator-orders.queries';
import { OrderStatusQueries } from './read-models/order-status/order-status.queries';
import type { Projection } from './engine/projection';
import { LiveGenerations } from './engine/projecting/live-generations';
import { Projector, type ParkedStream } from './engine/projecting/projector';
import { ProjectorRole } from './engine/projecting/projector-role';
import { StreamRepair, type StreamRebuilt } from './engine/projecting/stream-repair';
import { READ_MODELS } from './projection-list';
import { Reader } from './engine/reader';
import { Replay } from './engine/replay/replay';
import { dropReplays, goBack } from './engine/replay/replay-generations';
import type { Rebuilt } from './engine/rebuild/rebuild';
import type { RebuildProgress } from './engine/rebuild/rebuild-context';
import { Rebuilds } from './engine/rebuild/rebuilds';
import { parkedRows, projectionStates } from './engine/projection-registry';
import { OpenCountQueries } from './read-models/totals/open-counts.queries';
import { Mutex } from './engine/mutex';

export interface ReadModelSettings {
  /** The log for rebuilds and single streams; the checkpoints are positions in it. */
  readonly log: EventLog;
  readonly decode: Decode;
  readonly clock: Clock;
  /** The reactors' memories in the same database. */
  readonly openWork?: readonly OpenWorkDefinition[];
  /** Maximum of rows that a rebuild gathers before it writes them. */
  readonly gatheredRowsMax?: number;
  /** Raises an alarm: the log lacks events that these projections were folded from. They answer nothing until they are folded anew. */
  readonly onAheadOfLog?: (projections: readonly string[]) => void;
  /** Called after every batch of a rebuild. */
  readonly onProgress?: (progress: RebuildProgress) => void;
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

export interface ProjectionHealth {
  readonly projection: string;
  /** Undefined while it has never been built. */
  readonly generation: number | undefined;
  /** Checkpoint, to compare with the log's head. */
  readonly position: Position | undefined;
  readonly appliedAt: Instant | undefined;
  readonly parkedStreams: number;
}

/** Maximum of alarms for streams that a build at the start parked. */
const PARKED_ALARMS_MAX = 100;

/** The read models of one log: projecting, rebuilding and querying (architecture, rules 9, 10 and 15). */
export class ReadModel implements ProjectionStore {
  readonly orders: OrderStatusQueries;
  readonly cardReferences: CardReferenceQueries;
  readonly search: OrderSearchQueries;
  readonly orderList: OrderListQueries;
  readonly mentions: MentionQueries;
  readonly operatorOrders: OperatorOrderQueries;
  readonly gateAttempts: GateAttemptsQueries;
  readonly reconciliationCases: ReconciliationCaseQueries;
  readonly openCounts: OpenCountQueries;
  /** Categories that the one subscription must read. */
  readonly categories: readonly string[];
  readonly #database: ReadModelDatabase;
  readonly #projections: readonly Projection[];
  readonly #settings: ReadModelSettings;
  readonly #mutex = new Mutex();
  readonly #reader: Reader;
  readonly #live: LiveGenerations;
  readonly #role: ProjectorRole;
  readonly #projector: Projector;
  readonly #repair: StreamRepair;
  readonly #rebuilds: Rebuilds;
  readonly #openWork = new Map<string, OpenWork>();
  readonly #repairing = new Set<string>();

  private constructor(database: ReadModelDatabase, settings: ReadModelSettings) {
    const openWork = settings.openWork ?? [];
    this.#database = database;
    this.#settings = settings;
    this.#projections = [...READ_MODELS, ...openWork.map((work) => openWorkProjection(work, settings.clock))];
    this.categories = [...new Set(this.#projections.flatMap(({ categories }) => categories))];
    this.#reader = new Reader(database, new Map(this.#projections.map(({ name, shape }) => [name, shape])));
    const onChanged = (): void => void this.#reader.refresh().catch(() => undefined);
    const context = { ...settings, database, mutex: this.#mutex, onChanged };
    this.#live = new LiveGenerations(context, this.#projections);
    this.#role = new ProjectorRole({ ...context, live: this.#live, prepare: () => this.#prepare() });
    this.#projector = new Projector(context, this.#live);
    this.#repair = new StreamRepair(context, this.#live);
    this.#rebuilds = new Rebuilds({ ...context, reader: this.#reader }, this.#projections);
    const foldFromLog = foldingFromLog(settings, (row) => this.#rewrite(row));
    this.orders = new OrderStatusQueries(this.#reader, foldFromLog);
    this.cardReferences = new CardReferenceQueries(this.#reader, foldFromLog);
    this.search = new OrderSearchQueries(this.#reader);
    this.orderList = new OrderListQueries(this.#reader, foldFromLog);
    this.mentions = new MentionQueries(this.#reader);
    this.operatorOrders = new OperatorOrderQueries(this.#reader, foldFromLog);
    this.gateAttempts = new GateAttemptsQueries(this.#reader, foldFromLog);
    this.reconciliationCases = new ReconciliationCaseQueries(this.#reader, foldFromLog);
    this.openCounts = new OpenCountQueries(this.#reader);
    for (const { name } of openWork) this.#openWork.set(name, openWorkStore(name, this.#reader, database));
  }

  static over(database: ReadModelDatabase, settings: ReadModelSettings): ReadModel {
    return new ReadModel(database, settings);
  }

  /** @throws Error for a name that the settings do not have */
  openWork(name: string): OpenWork {
    const work = this.#openWork.get(name);
    if (work === undefined) throw new Error(`there is no open work named ${name}`);
    return work;
  }

  /** Builds only projections that were never built or that changed their shape; undefined where there are none. */
  build(): Promise<Rebuilt | undefined> {
    return this.#rebuilds.buildMissing();
  }

  /**
   * Drops projections that are ahead of the log. Call it before this process appends, since new events may get the positions of lost ones.
   * @throws StoreUnavailable
   */
  abandonAheadOfLog(): Promise<readonly string[]> {
    return this.#rebuilds.abandonAheadOfLog();
  }

  /** Whether another process projects into the same tables without holding the ownership, perhaps from another log. */
  get isFencedOut(): boolean {
    return this.#live.isFencedOut;
  }

  /** Whether this process is the one that projects, as far as it knows. */
  get isProjector(): boolean {
    return this.#role.isHeld;
  }

  /** Builds new generations from the start of the log while the old ones serve. @throws Error for an unknown name, and while a rebuild runs */
  rebuild(which: 'all' | readonly string[]): Promise<Rebuilt> {
    return this.#rebuilds.rebuild(which);
  }

  /**
   * Builds all read models again beside those that serve, which another process may project meanwhile; goes on where an interrupted one had come.
   * @throws ReplayRefused
   */
  replay(scheduler: Scheduler, savedEveryEvents?: number): Promise<Replay> {
    const saved = savedEveryEvents === undefined ? {} : { savedEveryEvents };
    return Replay.build({ ...this.#settings, ...saved, database: this.#database, mutex: this.#mutex, scheduler }, this.#projections);
  }

  /** Lets the generations serve again that the last replay replaced. @returns the projections. @throws ReplayRefused */
  async replayBack(): Promise<readonly string[]> {
    const moved = await goBack({ database: this.#database }, this.#projections);
    await this.#reader.refresh();
    return moved;
  }

  /** Drops what the last replay kept, and what an interrupted one left. @returns how many generations */
  dropReplays(): Promise<number> {
    return dropReplays({ database: this.#database }, this.#projections);
  }

  /** Resumes a parked stream in each projection that parked it (architecture, rule 15). */
  async rebuildStream(stream: StreamName): Promise<StreamRebuilt> {
    try {
      return await this.#repair.resume(stream);
    } catch (error) {
      throw asUnread(error);
    }
  }

  /**
   * Makes this process the projector once no other is, and builds missing projections. Returns the least checkpoint; projections skip events that they
   * already have. @throws StoreUnavailable
   */
  position(): Promise<Position | undefined> {
    return this.#role.take();
  }

  /** Lets another process project, for good, as when the service stops. A waiting `position` rejects. */
  async release(): Promise<void> {
    await this.#mutex.take(() => this.#role.release());
  }

  /** Streams that every projection of their category has parked, so that the subscription can drop their events. */
  parked(): Promise<readonly StreamName[]> {
    return Promise.resolve(this.#live.parkedEverywhere());
  }

  /** Parks events that cannot be applied. @throws StoreUnavailable where the database fails or another process projects */
  async apply(batch: readonly StoredEvent[], upTo: Position): Promise<void> {
    await this.#role.held();
    await this.#projector.apply(batch, upTo);
  }

  /** Parks the stream of an unreadable event in every projection. */
  async park(event: StoredEvent, error: Error): Promise<void> {
    await this.#role.held();
    await this.#projector.parkEverywhere(event, error);
  }

  /** @throws StoreUnavailable */
  async health(): Promise<readonly ProjectionHealth[]> {
    const states = await projectionStates(this.#database.reads).catch((error: unknown) => {
      throw asUnread(error);
    });
    return this.#projections.map(({ name }) => {
      const state = states.get(name);
      return {
        projection: name,
        generation: state?.generation,
        position: state?.position,
        appliedAt: state?.appliedAt,
        parkedStreams: state?.parkedStreams ?? 0,
      };
    });
  }

  /** Contents of the serving generations. It reads every row, so it is meant for a rebuild's report and not for a request. */
  contents(): Promise<readonly ProjectionContents[]> {
    return contentsOf(this.#database.reads, this.#projections);
  }

  /** Parked streams, oldest first. @param limit maximum of streams */
  async parkedStreams(limit: number): Promise<readonly ParkedStream[]> {
    const rows = await parkedRows(this.#database.reads, limit);
    return rows.map(({ projection, stream, revision, event_id, error, parked_at }) => ({
      projection,
      stream: stream as StreamName,
      revision: Number(revision),
      eventId: event_id,
      error,
      parkedAt: Number(parked_at) as Instant,
    }));
  }

  async close(): Promise<void> {
    await this.release();
    await this.#mutex.take(() => this.#database.close());
  }

  async #prepare(): Promise<void> {
    await this.abandonAheadOfLog();
    await this.#alarmParkedIn(await this.build());
  }

  async #alarmParkedIn(built: Rebuilt | undefined): Promise<void> {
    if (built === undefined || built.parkedStreams === 0 || this.#settings.onParked === undefined) return;
    const parked = await this.parkedStreams(PARKED_ALARMS_MAX);
    for (const one of parked) if (built.projections.includes(one.projection)) this.#settings.onParked(one);
  }

  /** Repairs a row in the background, once at a time; after a failure the next query tries again. */
  #rewrite(row: CorruptRow): void {
    const name = `${row.projection} ${row.stream}`;
    if (this.#repairing.has(name)) return;
    this.#repairing.add(name);
    this.#repair
      .rewrite(row)
      .catch(() => undefined)
      .finally(() => this.#repairing.delete(name));
  }
}

/** Opens a SQLite file, created where it is missing, or a PostgreSQL database. @throws Error with the reason in one line */
export const openReadModel = async (settings: ReadModelSettings & ReadModelAddress): Promise<ReadModel> =>
  ReadModel.over(await openReadModelDatabase(settings), settings);
