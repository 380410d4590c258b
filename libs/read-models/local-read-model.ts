import type { Clock } from '@app/kernel';
import { foldingFromLog } from './engine/project-from-log';
import type { ReadModelAddress, ReadModelDatabase } from './engine/database/database';
import { openReadModelDatabase } from './engine/database/open-database';
import type { Decode, EventLog } from './engine/log-event';
import { LocalProjecting } from './engine/projecting/local-projecting';
import type { ProjectingListener } from './engine/projecting/projecting';
import type { Partition, PartitionKey } from './engine/projecting/partitions';
import type { Projection } from './engine/projection';
import { Reader } from './engine/reader';
import type { Rebuilt } from './engine/rebuild/rebuilds';
import type { RebuildProgress } from './engine/rebuild/new-generations';
import { READ_MODELS } from './projection-list';
import { ReadModel, rewritingOnce } from './read-model';
import { openWorkStore } from './work/open-work.store';
import { openWorkProjection, type OpenWorkDefinition } from './work/open-work.table';

export interface ReadModelSettings extends ProjectingListener {
  readonly log: EventLog;
  readonly decode: Decode;
  readonly clock: Clock;
  /** All streams if absent. Several partitions require a shared database. */
  readonly partition?: Partition | undefined;
  /** The events' own streams if absent. */
  readonly partitionKey?: PartitionKey | undefined;
  readonly openWork?: readonly OpenWorkDefinition[];
  /** Rows that a rebuild collects before it writes them. */
  readonly gatheredRowsMax?: number;
  readonly onProgress?: (progress: RebuildProgress) => void;
}

export const projectionsOf = (openWork: readonly OpenWorkDefinition[], clock: Clock): readonly Projection[] => [
  ...READ_MODELS,
  ...openWork.map((work) => openWorkProjection(work, clock)),
];

export const readerOf = (database: ConstructorParameters<typeof Reader>[0], projections: readonly Projection[]): Reader =>
  new Reader(database, new Map(projections.map(({ name, shape }) => [name, shape])));

/** Projects in the calling thread. `ThreadedReadModel` projects in a worker thread. */
export class LocalReadModel extends ReadModel {
  readonly #projecting: LocalProjecting;

  private constructor(database: ReadModelDatabase, settings: ReadModelSettings) {
    const { openWork = [] } = settings;
    const projections = projectionsOf(openWork, settings.clock);
    const reader = readerOf(database, projections);
    const projecting = new LocalProjecting({ ...settings, database, projections, reader });
    super({
      database,
      log: settings.log,
      clock: settings.clock,
      projections,
      reader,
      projectFromLog: foldingFromLog(
        settings,
        rewritingOnce((row) => projecting.rewrite(row)),
      ),
      projecting,
      openWork: new Map(openWork.map(({ name }) => [name, openWorkStore(name, reader, database)])),
    });
    this.#projecting = projecting;
  }

  static over(database: ReadModelDatabase, settings: ReadModelSettings): LocalReadModel {
    return new LocalReadModel(database, settings);
  }

  /**
   * Works with or without a process that projects at the same time.
   * @throws Error for an unknown name, and while a rebuild runs; RebuildRefused
   */
  rebuild(which: 'all' | readonly string[]): Promise<Rebuilt> {
    return this.#projecting.rebuild(which);
  }
}

/**
 * Opens a SQLite file, created if it is missing, or a PostgreSQL database.
 * @throws Error with the reason in one line
 */
export const openReadModel = async (settings: ReadModelSettings & ReadModelAddress): Promise<LocalReadModel> =>
  LocalReadModel.over(await openReadModelDatabase(settings), settings);
