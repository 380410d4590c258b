import { existsSync } from 'node:fs';
import { systemClock, systemScheduler } from '@app/kernel';
import type { EventStore } from '@app/event-store';
import { openEventLogReader, openEventStore, WriterLocked, type EventStoreAddress } from '@app/event-store/stores';
import { CommandFailed, EXIT } from '../command-failed';

/** A person waits, and may have mistyped the address: with the start of the program the fault is shown within 3 s. */
export const OPEN_LIMIT_MS = 2_000;

/** The setting that names a store, for the message where it cannot be used. */
export const namedBy = (setting: string, text: string): string => (text.startsWith(`${setting}: `) ? text : `${setting}: ${text}`);

/** The log without its writer. */
export type EventLogReader = Omit<EventStore, 'append'>;

const assertLogExists = (at: EventStoreAddress): void => {
  if (at.kind === 'file' && !existsSync(at.path)) throw new CommandFailed(`there is no event log at ${at.path}; DATA_DIR names the folder`);
};

const orCommandFailed = async <Opened>({ kind }: EventStoreAddress, opening: Promise<Opened>): Promise<Opened> => {
  try {
    return await opening;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (error instanceof WriterLocked) throw new CommandFailed(`${text} Stop the service first.`, EXIT.refused);
    throw new CommandFailed(kind === 'file' ? text : namedBy('EVENTSTORE_URL', text));
  }
};

/** Opens the log for reading, beside a running service or without one. @throws CommandFailed where there is no log, or it cannot be read */
export const readEventLog = (at: EventStoreAddress): Promise<EventLogReader> => {
  assertLogExists(at);
  return orCommandFailed(at, openEventLogReader(at, systemScheduler, { openLimitMs: OPEN_LIMIT_MS }));
};

/** Opens the log for writing; a file must have no other writer. @throws CommandFailed */
export const writeEventLog = async (at: EventStoreAddress): Promise<EventStore> =>
  (await orCommandFailed(at, openEventStore({ at, clock: systemClock, scheduler: systemScheduler, openLimitMs: OPEN_LIMIT_MS }))).store;
