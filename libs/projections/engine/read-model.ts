import { StoreUnavailable, type OpenWork, type Position, type ProjectionStore, type StoredEvent, type StreamName } from '@app/event-store';
import type { Clock, Instant } from '@app/kernel';
import { abandonAheadOfLog } from './mending/ahead-of-log';
import { CardReferenceQueries } from '../read-models/card-reference/card-reference.queries';
import { cardReferenceProjection } from '../read-models/card-reference/card-reference.table';
import { contentsOf, type ProjectionContents } from './rebuild/contents';
import type { Ownership, ReadModelDatabase, ReadModelPlace } from './database/database';
import { asUnavailable } from './faults';
import type { Decode } from './log-event';
import { mending, type RottenRow } from './mending/mending';
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
import { parkedRows, projectionStates } from './register';
import { OpenCountQueries } from '../read-models/totals/open-counts.queries';
import { Mutex } from './mutex';

export interface ReadModelSettings {
  /** Where rebuilds and single streams are read from, and whose positions the checkpoints are. */
  readonly log: EventLog;
  readonly decode: Decode;
  readonly clock: Clock;
  /** The reactors' memories that lie beside the read models. */
  readonly openWork?: readonly OpenWorkDefinition[];
  /** Rows that a rebuild gathers before it writes them. */
  readonly gatheredRowsMax?: number;
  /** An alarm: the log holds less than these projections were folded from. They are folded anew, and nobody is answered from them until then. */
  readonly onAheadOfLog?: (projections: readonly string[]) => void;
  /** Told after every batch of a rebuild. */
  readonly onProgress?: (progress: RebuildProgress) => void;
  /** An alarm: a projection goes on without this stream, until somebody takes it up again. */
  readonly onParked?: (parked: ParkedStream) => void;
  /** An alarm: a row does not hold what was written, and is folded anew from its stream, for the answer and in its table. */
  readonly onRotten?: (rotten: RottenRow) => void;
  /**
   * Another process projects, or the database is away; told every second while this one waits for its turn. What it projected meanwhile may be due:
   * reactors of this process look at their memory.
   */
  readonly onWaiting?: (error: Error | undefined) => void;
}

export interface ProjectionHealth {
  readonly projection: string;
  /** Undefined while it has never been built. */
  readonly generation: number | undefined;
  /** To be held against the log's head. */
  readonly position: Position | undefined;
  readonly appliedAt: Instant | undefined;
  readonly parkedStreams: number;
}

/** Of those that a build at the start has parked. */
const PARKED_TOLD_MAX = 100;

/** The read models of one log: folded from it, rebuilt from it, and asked (architecture, rules 9, 10 and 15). */
export class ReadModel implements ProjectionStore {
  readonly orders: OrderStatusQueries;
  readonly cardReferences: CardReferenceQueries;
  readonly search: OrderSearchQueries;
  readonly operatorOrders: OperatorOrderQueries;
  readonly openCounts: OpenCountQueries;
  /** What the one subscription must read. */
  readonly categories: readonly string[];
  readonly #database: ReadModelDatabase;
  readonly #projections: readonly Projection[];
  readonly #settings: ReadModelSettings;
  readonly #turns = new Mutex();
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
    this.#projector = new Projector({ ...settings, database, turns: this.#turns }, this.#projections);
    const mend = mending(settings, (rotten) => this.#repair(rotten));
    this.orders = new OrderStatusQueries(this.#reader, mend);
    this.cardReferences = new CardReferenceQueries(this.#reader, mend);
    this.search = new OrderSearchQueries(this.#reader);
    this.operatorOrders = new OperatorOrderQueries(this.#reader, mend);
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

  /** Builds what has never been built, or has changed its shape; alone, while the others stay where they are. Undefined: nothing was missing. */
  async build(): Promise<Rebuilt | undefined> {
    // The rebuild that is under way may be the very one.
    if ((await this.#missing()).length > 0) await this.#rebuilding;
    const missing = await this.#missing();
    return missing.length === 0 ? undefined : this.#rebuild(missing);
  }

  /**
   * Takes away what is ahead of the log: before this process writes to it, for what it writes may come to stand where the lost events were.
   * @throws StoreUnavailable
   */
  async abandonAheadOfLog(): Promise<readonly string[]> {
    const abandoned = await abandonAheadOfLog({ database: this.#database, log: this.#settings.log }, this.#projections);
    if (abandoned.length === 0) return abandoned;
    await this.#reader.refresh();
    this.#settings.onAheadOfLog?.(abandoned);
    return abandoned;
  }

  /** Another process projects into the same tables without having asked: what it folds may be another log. */
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

  /** Takes up a parked stream again, for each projection that parked it (architecture, rule 15). */
  rebuildStream(stream: StreamName): Promise<StreamRebuilt> {
    return this.#projector.rebuildStream(stream);
  }

  /**
   * Makes this process the projector, once no other one is, and builds what is missing. The least checkpoint: what a projection has already is
   * skipped. @throws StoreUnavailable
   */
  async position(): Promise<Position | undefined> {
    this.#claimed = this.#becomeProjector();
    return this.#claimed;
  }

  /** Another process may project; for good, as when the service stops. Who waits in `position` is told. */
  async release(): Promise<void> {
    await this.#turns.take(() => this.#ownership?.release() ?? Promise.resolve());
  }

  /** Parked by every projection that reads their category: nobody wants what follows. The others skip for themselves. */
  parked(): Promise<readonly StreamName[]> {
    return this.#projector.parkedEverywhere();
  }

  /** @throws StoreUnavailable where the database is in trouble or another process projects; an event that cannot be applied is parked here */
  async apply(batch: readonly StoredEvent[], upTo: Position): Promise<void> {
    await this.#ownProjections();
    await this.#projector.apply(batch, upTo);
  }

  /** An event that cannot even be read from the log: for every projection. */
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

  /** Of every projection as it serves now; reads every row, so for a rebuild's report and not for a request. */
  contents(): Promise<readonly ProjectionContents[]> {
    return contentsOf(this.#database.reads, this.#projections);
  }

  /** The oldest first. @param limit at most this many */
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
    await this.#turns.take(() => this.#database.close());
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
    const parked = await this.parkedStreams(PARKED_TOLD_MAX);
    for (const one of parked) if (built.projections.includes(one.projection)) this.#settings.onParked(one);
  }

  async #ownProjections(): Promise<void> {
    if (this.#isLost) throw new StoreUnavailable('another process may project by now');
    await (this.#claimed ?? this.position());
  }

  /** Behind the answer, once at a time: where it fails, the next question has it done again. */
  #repair(rotten: RottenRow): void {
    const name = `${rotten.projection} ${rotten.stream}`;
    if (this.#repairing.has(name)) return;
    this.#repairing.add(name);
    this.#projector
      .repair(rotten)
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
      buildGenerations({ ...this.#settings, database: this.#database, turns: this.#turns }, projections),
    );
    try {
      return await this.#rebuilding;
    } finally {
      this.#rebuilding = undefined;
      await this.#reader.refresh();
    }
  }
}

/** A SQLite file, made where it is missing, or a PostgreSQL database. @throws Error with one line that says why it cannot be used */
export const openReadModel = async (settings: ReadModelSettings & ReadModelPlace): Promise<ReadModel> =>
  ReadModel.over(await openReadModelDatabase(settings), settings);
