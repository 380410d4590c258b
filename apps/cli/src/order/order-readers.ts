import { existsSync } from 'node:fs';
import { systemScheduler } from '@app/kernel';
import { EmbeddedEventStore, type EventLogReader } from '@app/event-store/embedded';
import type { OrchestratorEnvironment } from '@app/merchant-accounts';
import { openReadModelReader, type ReadModelReader } from '@app/projections';
import { storeFiles } from '../service/store-files';

/** What an order is read from, beside a service that runs or without one; nothing is written. */
export interface OrderReaders {
  readonly log: EventLogReader;
  /** Undefined where it was never built. */
  readonly readModel: ReadModelReader | undefined;
  close(): Promise<void>;
}

/** @throws CommandFailed where there is no event log */
export const openOrderReaders = async (environment: OrchestratorEnvironment): Promise<OrderReaders> => {
  const paths = storeFiles(environment);
  const log = EmbeddedEventStore.openReader({ path: paths.events, scheduler: systemScheduler });
  const readModel = existsSync(paths.readModel) ? await openReadModelReader({ path: paths.readModel }) : undefined;
  return {
    log,
    readModel,
    close: async () => {
      await readModel?.close();
      await log.close();
    },
  };
};
