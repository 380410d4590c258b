import { StoreUnavailable, type OpenWork, type Position, type ProjectionStore, type StoredEvent, type StreamName } from '@app/event-store';
import type { Clock, Instant } from '@app/kernel';
import { abandonAheadOfLog } from './corruption/ahead-of-log';
import { CardReferenceQueries } from '../read-models/card-reference/card-reference.queries';
import { cardReferenceProjection } from '../read-models/card-reference/card-reference.table';
import { contentsOf, type ProjectionContents } from './rebuild/contents';
import type { Ownership, ReadModelDatabase, ReadModelAddress } from './database/database';
import { asUnavailable } from './faults';
import type { Decode } from './log-event';
import { foldingFromLog, type CorruptRow } from './corruption/fold-from-log';
import { openWorkStore } from '../read-models/open-work/open-work.store';
import { openWorkProjection, type OpenWorkDefinition } from '../read-models/open-work/open-work.table';
import { openReadModelDatabase } from './database/open-database';
import { OrderSearchQueries } from '../read-models/order-search/order-search.queries';
import { orderSearchProjection } from '../read-models/order-search/order-search.table';
import { OperatorOrderQueries } from '../read-models/order-status/operator-orders.queries';
import { OrderStatusQueries } from '../read-models/order-status/order-status.queries';
import { orderStatusProjection } from '../read-models/order-status/order-status.table';
import type { Projection } from './projection';
import { Projector, type ParkedStream, type StreamRebuilt } from './projector';
import { Reader } from './reader';
import { buildGenerations, type EventLog, type RebuildProgress, type Rebuilt } from './rebuild/rebuild';
import { parkedRows, projectionStates } from './projection-registry';
import { OpenCountQueries } from '../read-models/totals/open-counts.queries';
import { Mutex } from './mutex';

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
  readonly operatorOrders: OperatorOrderQueries;
  readonly openCounts: OpenCountQueries;
  /** Categories that the one subscription must read. */
  readonly categories: readonly string[];
  readonly #database: ReadModelDatabase;
  readonly #projections: readonly Projection[];
  readonly #settings: ReadModelSettings;
  readonly #mutex = new Mutex();
  readonly #reader: Reader;
  readonly #projector: Projector;
  readonly #openWork = new Map<string, OpenWork>();
  readonly #ownership: Ownership | undefined;
  #claimed: Promise<Position | undefined> | undefined;
  #isLost = false;
  #rebuilding: Promise<Rebuilt> | undefined;
  readonly #repairing = new Set<string>();

  private constructor(database: ReadModelDatabase, settings: ReadModelSettings) {
    const openWork = settings.openWork ?? [];
    this.#database = database;
    this.#settings = settings;
    this.#projections = [orderStatusProjection, cardReferenceProjection, orderSearchProjection, ...openWork.map(openWorkProjection)];
    this.categories = [...new Set(this.#projections.flatMap(({ categories }) => categories))];
    this.#reader = new Reader(database, new Map(this.#projections.map(({ name, shape }) => [name, shape])));
    this.#projector = new Projector({ ...settings, database, mutex: this.#mutex }, this.#projections);
    const foldFromLog = foldingFromLog(settings, (row) => this.#repair(row));
    this.orders = new OrderStatusQueries(this.#reader, foldFromLog);
    this.cardReferences = new CardReferenceQueries(this.#reader, foldFromLog);
    this.search = new OrderSearchQueries(this.#reader);
    this.operatorOrders = new OperatorOrderQueries(this.#reader, foldFromLog);
    this.openCounts = new OpenCountQueries(this.#reader);
    for (const { name } of openWork) this.#openWork.set(name, openWorkStore(name, this.#reader, database));
    this.#ownership = database.ownership?.({
      onLost: () => this.#lose(),
      onWaiting: (error) => settings.onWaiting?.(error),
    });
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
  async build(): Promise<Rebuilt | undefined> {
    // A rebuild under way may build the missing projections.
    if ((await this.#missing()).length > 0) await this.#rebuilding;
    const missing = await this.#missing();
    return missing.length === 0 ? undefined : this.#rebuild(missing);
  }

  /**
   * Drops projections that are ahead of the log. Call it before this process appends, since new events may get the positions of lost ones.
   * @throws StoreUnavailable
   */
  async abandonAheadOfLog(): Promise<readonly string[]> {
    const abandoned = await abandonAheadOfLog({ database: this.#database, log: this.#settings.log }, this.#projections);
    if (abandoned.length === 0) return abandoned;
    await this.#reader.refresh();
    this.#settings.onAheadOfLog?.(abandoned);
    return abandoned;
  }

  /** Whether another process projects into the same tables without holding the ownership, perhaps from another log. */
  get isFencedOut(): boolean {
    return this.#projector.isFencedOut;
  }

  /** Builds new generations from the start of the log while the old ones serve. @throws Error for an unknown name, and while a rebuild runs */
  async rebuild(which: 'all' | readonly string[]): Promise<Rebuilt> {
    if (which === 'all') return this.#rebuild(this.#projections);
    const known = new Map(this.#projections.map((projection) => [projection.name, projection]));
    const projections = which.map((name) => {
      const projection = known.get(name);
      if (projection === undefined) throw new Error(`no projection is named ${name}; there are ${[...known.keys()].join(', ')}`);
      return projection;
    });
    return this.#rebuild(projections);
  }

  /** Resumes a parked stream in each projection that parked it (architecture, rule 15). */
  rebuildStream(stream: StreamName): Promise<StreamRebuilt> {
    return this.#projector.rebuildStream(stream);
  }

  /**
   * Makes this process the projector once no other is, and builds missing projections. Returns the least checkpoint; projections skip events that they
   * already have. @throws StoreUnavailable
   */
  async position(): Promise<Position | undefined> {
    this.#claimed = this.#becomeProjector();
    return this.#claimed;
  }

  /** Lets another process project, for good, as when the service stops. A waiting `position` rejects. */
  async release(): Promise<void> {
    await this.#mutex.take(() => this.#ownership?.release() ?? Promise.resolve());
  }

  /** Streams that every projection of their category has parked, so that the subscription can drop their events. */
  parked(): Promise<readonly StreamName[]> {
    return this.#projector.parkedEverywhere();
  }

  /** Parks events that cannot be applied. @throws StoreUnavailable where the database fails or another process projects */
  async apply(batch: readonly StoredEvent[], upTo: Position): Promise<void> {
    await this.#ownProjections();
    await this.#projector.apply(batch, upTo);
  }

  /** Parks the stream of an unreadable event in every projection. */
  async park(event: StoredEvent, error: Error): Promise<void> {
    await this.#ownProjections();
    await this.#projector.parkEverywhere(event, error);
  }

  async health(): Promise<readonly ProjectionHealth[]> {
    const states = await projectionStates(this.#database.reads);
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

  async #becomeProjector(): Promise<Position | undefined> {
    try {
      await this.#ownership?.acquire();
      if (this.#isLost) this.#projector.resign();
      this.#isLost = false;
      await this.abandonAheadOfLog();
      await this.#alarmParkedIn(await this.build());
      return await this.#projector.claim();
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  async #alarmParkedIn(built: Rebuilt | undefined): Promise<void> {
    if (built === undefined || built.parkedStreams === 0 || this.#settings.onParked === undefined) return;
    const parked = await this.parkedStreams(PARKED_ALARMS_MAX);
    for (const one of parked) if (built.projections.includes(one.projection)) this.#settings.onParked(one);
  }

  async #ownProjections(): Promise<void> {
    if (this.#isLost) throw new StoreUnavailable('another process may project by now');
    await (this.#claimed ?? this.position());
  }

  /** Repairs a row in the background, once at a time; after a failure the next query tries again. */
  #repair(row: CorruptRow): void {
    const name = `${row.projection} ${row.stream}`;
    if (this.#repairing.has(name)) return;
    this.#repairing.add(name);
    this.#projector
      .repair(row)
      .catch(() => undefined)
      .finally(() => this.#repairing.delete(name));
  }

  #lose(): void {
    this.#isLost = true;
    this.#projector.resign();
  }

  async #missing(): Promise<readonly Projection[]> {
    const states = await projectionStates(this.#database.reads);
    return this.#projections.filter(({ name, shape }) => states.get(name)?.shape !== shape);
  }

  async #rebuild(projections: readonly Projection[]): Promise<Rebuilt> {
    if (this.#rebuilding !== undefined) throw new Error('a rebuild is under way');
    this.#rebuilding = this.abandonAheadOfLog().then(() =>
      buildGenerations({ ...this.#settings, database: this.#database, mutex: this.#mutex }, projections),
    );
    try {
      return await this.#rebuilding;
    } finally {
      this.#rebuilding = undefined;
      await this.#reader.refresh();
    }
  }
}

/** Opens a SQLite file, created where it is missing, or a PostgreSQL database. @throws Error with the reason in one line */
export const openReadModel = async (settings: ReadModelSettings & ReadModelAddress): Promise<ReadModel> =>
  ReadModel.over(await openReadModelDatabase(settings), settings);
