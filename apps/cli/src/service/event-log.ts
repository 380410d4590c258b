import { existsSync } from 'node:fs';
import { systemClock, systemScheduler } from '@app/kernel';
import type { EventStore } from '@app/event-store';
import { openEventLogReader, openEventStore, WriterLocked, type EventStorePlace } from '@app/event-store/stores';
import { CommandFailed } from '../command-failed';

/** A person waits, and may have mistyped the address; longer than a leader's failover takes. */
const OPEN_LIMIT_MS = 3_000;

/** The log without its pen. */
export type EventLogReader = Omit<EventStore, 'append'>;

const assertThere = (at: EventStorePlace): void => {
  if (at.kind === 'file' && !existsSync(at.path)) throw new CommandFailed(`there is no event log at ${at.path}; DATA_DIR names the folder`);
};

const orFailed = async <Opened>(opening: Promise<Opened>): Promise<Opened> => {
  try {
    return await opening;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new CommandFailed(error instanceof WriterLocked ? `${text} Stop the service first.` : text);
  }
};

/** Beside a service that runs, or without one. @throws CommandFailed where there is no log, or it cannot be read */
export const readEventLog = (at: EventStorePlace): Promise<EventLogReader> => {
  assertThere(at);
  return orFailed(openEventLogReader(at, systemScheduler, OPEN_LIMIT_MS));
};

/** With the pen: of a file, nobody else may have it. @throws CommandFailed */
export const writeEventLog = async (at: EventStorePlace): Promise<EventStore> =>
  (await orFailed(openEventStore({ at, clock: systemClock, scheduler: systemScheduler, openLimitMs: OPEN_LIMIT_MS }))).store;

/** As `writeEventLog`, of a log that is there. @throws CommandFailed */
export const holdEventLog = (at: EventStorePlace): Promise<EventStore> => {
  assertThere(at);
  return writeEventLog(at);
};
