import { existsSync } from 'node:fs';
import type { OrchestratorEnvironment } from '@app/merchant-accounts';
import { openReadModelReader, type ReadModelReader } from '@app/projections';
import { readModelPlace } from '../../../orchestrator/src/composition/stores';
import { readEventLog, type EventLogReader } from '../service/event-log';

/** What an order is read from, beside a service that runs or without one; nothing is written. */
export interface OrderReaders {
  readonly log: EventLogReader;
  /** Undefined where it was never built. */
  readonly readModel: ReadModelReader | undefined;
  close(): Promise<void>;
}

/** @throws CommandFailed where there is no event log */
export const openOrderReaders = async (environment: OrchestratorEnvironment): Promise<OrderReaders> => {
  const log = await readEventLog(environment.eventStore);
  const place = readModelPlace(environment);
  const isThere = !('path' in place) || existsSync(place.path);
  const readModel = isThere ? await openReadModelReader(place) : undefined;
  return {
    log,
    readModel,
    close: async () => {
      await readModel?.close();
      await log.close();
    },
  };
};
