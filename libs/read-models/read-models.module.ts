import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { EVENT_STORE } from '@app/event-store/event-store.tokens';
import { CLOCK, provide, SCHEDULER } from '@app/kernel/injection';
import type { Secret } from '@app/kernel';
import { openReadModelDatabase } from './engine/database/open-database';
import type { ProjectingNews } from './engine/projecting/projecting';
import { LocalReadModel, type ReadModelSettings } from './local-read-model';
import type { Partition, PartitionKey } from './engine/projecting/partitions';
import { PROJECTIONS_WATCH, READ_MODEL, READ_MODEL_DATABASE, type ProjectionsWatch } from './read-models.tokens';
import type { ReadModel } from './read-model';
import { type ThreadProgram, openThreadedReadModel } from './thread/projecting-thread';

type Projected = Required<Pick<ReadModelSettings, 'decode' | 'openWork'>>;

export interface ProjectionsModuleSettings extends Projected {
  /** As `READ_MODEL_URL` names it. */
  readonly at: { readonly kind: 'file'; readonly path: string } | { readonly kind: 'postgres'; readonly url: Secret<string> };
  readonly partition: Partition;
  readonly partitionKey: PartitionKey;
  readonly thread?: ThreadProgram | undefined;
  /** Called once if the thread ends unexpectedly: the process must end. */
  readonly onBroken: (error: Error) => void;
}

const newsFor = (watch: ProjectionsWatch): Required<ProjectingNews> => ({
  onWaiting: (error) => watch.waiting(error),
  onParked: (parked) => watch.parkedAtBuild(parked),
  onAheadOfLog: (projections) => watch.aheadOfLog(projections),
  onCorruptRow: (row) => watch.rowCorrupt(row),
});

/** Must run before anything is appended. */
const withoutWhatIsLost = async <Model extends ReadModel>(opened: Model): Promise<Model> => {
  await opened.abandonAheadOfLog();
  return opened;
};

const written = ({ at, ...projected }: Projected & Pick<ProjectionsModuleSettings, 'at' | 'partition' | 'partitionKey'>) => [
  provide(READ_MODEL_DATABASE, { scheduler: SCHEDULER, openBefore: EVENT_STORE }, ({ scheduler }) =>
    openReadModelDatabase(at.kind === 'file' ? { path: at.path } : { url: at.url, scheduler }),
  ),
  provide(
    READ_MODEL,
    { database: READ_MODEL_DATABASE, log: EVENT_STORE, clock: CLOCK, watch: PROJECTIONS_WATCH },
    ({ database, log, clock, watch }) => withoutWhatIsLost(LocalReadModel.over(database, { log, clock, ...projected, ...newsFor(watch) })),
  ),
];

const writtenByThread = (path: string, program: ThreadProgram, settings: Projected & Pick<ProjectionsModuleSettings, 'onBroken'>) => [
  provide(READ_MODEL, { log: EVENT_STORE, clock: CLOCK, watch: PROJECTIONS_WATCH }, async ({ log, clock, watch }) =>
    withoutWhatIsLost(await openThreadedReadModel(path, { program, log, clock, ...settings, ...newsFor(watch) })),
  ),
];

/** Drops projections of events beyond the log's end before anything is appended. */
@Module({})
export class ReadModelsModule implements OnApplicationShutdown {
  constructor(@Inject(READ_MODEL) private readonly readModel: ReadModel) {}

  /** @throws Error in one line if the read models' database cannot be used */
  static forRoot({ at, decode, openWork, partition, partitionKey, thread, onBroken }: ProjectionsModuleSettings): DynamicModule {
    const providers =
      at.kind === 'file' && thread !== undefined
        ? writtenByThread(at.path, thread, { decode, openWork, onBroken })
        : written({ at, decode, openWork, partition, partitionKey });
    return { module: ReadModelsModule, global: true, providers, exports: [READ_MODEL] };
  }

  onApplicationShutdown(): Promise<void> {
    return this.readModel.close();
  }
}
