import { existsSync } from 'node:fs';
import { systemScheduler, waitAtMost } from '@app/kernel';
import type { OrchestratorEnvironment } from '@app/configuration';
import { openReadModelReader, readModelPlace, type ReadModelReader } from '@app/read-models';
import { decodeAny } from '@app/read-models/queries';
import { CommandFailed } from '../command-failed';
import { namedBy, OPEN_LIMIT_MS, type EventLogReader } from './event-log';

type Place = Pick<OrchestratorEnvironment, 'readModel'>;

const SETTING = 'READ_MODEL_URL';

const hostOf = ({ readModel }: Place): string => (readModel.kind === 'file' ? readModel.path : new URL(readModel.url.reveal()).host);

/** Opens the read model beside a running service or without one; undefined where it was never built. @throws CommandFailed within seconds where it cannot be read */
export const readReadModel = async (environment: Place, log: EventLogReader): Promise<ReadModelReader | undefined> => {
  const place = readModelPlace(environment.readModel, systemScheduler);
  if ('path' in place && !existsSync(place.path)) return undefined;
  const opening = openReadModelReader(place, { log, decode: decodeAny });
  try {
    const opened = await waitAtMost(systemScheduler, OPEN_LIMIT_MS, opening, () => 'late' as const);
    if (opened !== 'late') return opened;
  } catch (error) {
    throw new CommandFailed(namedBy(SETTING, error instanceof Error ? error.message : String(error)));
  }
  // The reader may still open after the deadline, and must be closed then.
  opening.then(
    (reader) => reader.close(),
    () => undefined,
  );
  throw new CommandFailed(`${SETTING}: ${hostOf(environment)} does not answer within ${OPEN_LIMIT_MS} ms`);
};
