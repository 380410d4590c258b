import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { EVENT_STORE } from '@app/event-store/event-store.tokens';
import { CLOCK, provide, SCHEDULER } from '@app/injection';
import type { Secret } from '@app/kernel';
import { openReadModelDatabase } from './engine/database/open-database';
import { ReadModel, type ReadModelSettings } from './read-model';
import { PROJECTIONS_WATCH, READ_MODEL, READ_MODEL_DATABASE } from './projections.tokens';

export interface ProjectionsModuleSettings extends Pick<ReadModelSettings, 'decode' | 'openWork'> {
  /** As `READ_MODEL_URL` names it. */
  readonly at: { readonly kind: 'file'; readonly path: string } | { readonly kind: 'postgres'; readonly url: Secret<string> };
}

/** The read models of the log: folded from it, and asked. What they hold beyond the log's end is abandoned before anybody appends to it. */
@Module({})
export class ProjectionsModule implements OnApplicationShutdown {
  constructor(@Inject(READ_MODEL) private readonly readModel: ReadModel) {}

  /** @throws Error in one line where the read models' database cannot be used */
  static forRoot({ at, decode, openWork = [] }: ProjectionsModuleSettings): DynamicModule {
    const database = provide(READ_MODEL_DATABASE, { scheduler: SCHEDULER, openBefore: EVENT_STORE }, ({ scheduler }) =>
      openReadModelDatabase(at.kind === 'file' ? { path: at.path } : { url: at.url, scheduler }),
    );
    const readModel = provide(
      READ_MODEL,
      { database: READ_MODEL_DATABASE, log: EVENT_STORE, clock: CLOCK, watch: PROJECTIONS_WATCH },
      async ({ database: tables, log, clock, watch }) => {
        const opened = ReadModel.over(tables, {
          log,
          clock,
          decode,
          openWork,
          onWaiting: (error) => watch.waiting(error),
          onParked: (parked) => watch.parkedAtBuild(parked),
          onAheadOfLog: (projections) => watch.aheadOfLog(projections),
          onCorruptRow: (row) => watch.rowCorrupt(row),
        });
        await opened.abandonAheadOfLog();
        return opened;
      },
    );
    return { module: ProjectionsModule, global: true, providers: [database, readModel], exports: [READ_MODEL] };
  }

  onApplicationShutdown(): Promise<void> {
    return this.readModel.close();
  }
}
