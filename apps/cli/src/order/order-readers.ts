import type { OrchestratorEnvironment } from '@app/configuration';
import type { ReadModelReader } from '@app/read-models';
import { readEventLog, type EventLogReader } from '../service/event-log';
import { readReadModel } from '../service/read-model';

/** The stores that an order is read from, beside a running service or without one; nothing is written. */
export interface OrderReaders {
  readonly log: EventLogReader;
  /** Undefined where no read model was built yet. */
  readonly readModel: ReadModelReader | undefined;
  close(): Promise<void>;
}

/** @throws CommandFailed where there is no event log */
export const openOrderReaders = async (environment: OrchestratorEnvironment): Promise<OrderReaders> => {
  const log = await readEventLog(environment.eventStore);
  try {
    const readModel = await readReadModel(environment, log);
    return {
      log,
      readModel,
      close: async () => {
        await readModel?.close();
        await log.close();
      },
    };
  } catch (error) {
    await log.close();
    throw error;
  }
};
