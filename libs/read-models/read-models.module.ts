import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { EVENT_STORE } from '@app/event-store/event-store.tokens';
import { CLOCK, provide, SCHEDULER } from '@app/kernel/injection';
import type { Secret } from '@app/kernel';
import { openReadModelDatabase } from './engine/database/open-database';
import type { ProjectingListener } from './engine/projecting/projecting';
import { LocalReadModel, type ReadModelSettings } from './local-read-model';
import type { Partition, PartitionKey } from './engine/projecting/partitions';
import { PROJECTIONS_LISTENER, READ_MODEL, READ_MODEL_DATABASE, type ProjectionsListener } from './read-models.tokens';
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

const newsFor = (listener: ProjectionsListener): Required<ProjectingListener> => ({
  onWaiting: (error) => listener.waiting(error),
  onParked: (parked) => listener.parkedAtBuild(parked),
  onAheadOfLog: (projections) => listener.aheadOfLog(projections),
  onCorruptRow: (row) => listener.rowCorrupt(row),
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
    { database: READ_MODEL_DATABASE, log: EVENT_STORE, clock: CLOCK, listener: PROJECTIONS_LISTENER },
    ({ database, log, clock, listener }) =>
      withoutWhatIsLost(LocalReadModel.over(database, { log, clock, ...projected, ...newsFor(listener) })),
  ),
];

const writtenByThread = (path: string, program: ThreadProgram, settings: Projected & Pick<ProjectionsModuleSettings, 'onBroken'>) => [
  provide(READ_MODEL, { log: EVENT_STORE, clock: CLOCK, listener: PROJECTIONS_LISTENER }, async ({ log, clock, listener }) =>
    withoutWhatIsLost(await openThreadedReadModel(path, { program, log, clock, ...settings, ...newsFor(listener) })),
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
