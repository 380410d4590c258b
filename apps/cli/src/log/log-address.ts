import { existsSync } from 'node:fs';
import type { EventStore } from '@app/event-store';
import type { EventStoreAddress } from '@app/event-store/stores';
import { parseStoreUrl } from '@app/configuration';
import { CommandFailed, EXIT } from '../command-failed';
import { readEventLog, writeEventLog, type EventLogReader } from '../service/event-log';

export type Side = '--from' | '--to';

/** The message never repeats the text, which may contain a password. @throws CommandFailed where it is no address of an event log */
export const logAddress = (side: Side, text: string): EventStoreAddress => {
  const address = parseStoreUrl(text);
  if (address?.kind === 'postgres')
    throw new CommandFailed(`${side}: an event log lies in a file or in EventStoreDB, not in PostgreSQL`, EXIT.usage);
  if (address === undefined) throw new CommandFailed(`${side}: expected is a path, file:, esdb:// or esdb+discover://`, EXIT.usage);
  return address;
};

/** @throws CommandFailed where both name one log */
export const assertDistinct = (from: EventStoreAddress, to: EventStoreAddress): void => {
  const isSameFile = from.kind === 'file' && to.kind === 'file' && from.path === to.path;
  const isSameServer = from.kind === 'eventstoredb' && to.kind === 'eventstoredb' && from.url.reveal() === to.url.reveal();
  if (isSameFile || isSameServer) throw new CommandFailed('--from and --to name the same log', EXIT.usage);
};

const assertLogExists = (side: Side, at: EventStoreAddress): void => {
  if (at.kind === 'file' && !existsSync(at.path)) throw new CommandFailed(`${side}: there is no event log at ${at.path}`);
};

/** SQLite's errors for a file that holds no event log. */
const NO_EVENT_LOG = /not a database|no such table|disk image is malformed/;

const withSide = async <Log>(side: Side, at: EventStoreAddress, opening: () => Promise<Log>): Promise<Log> => {
  try {
    return await opening();
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    if (at.kind === 'file' && NO_EVENT_LOG.test(error.message)) throw new CommandFailed(`${side}: ${at.path} is no event log`);
    // The store's error names a setting, where this verb has an option.
    throw new CommandFailed(`${side}: ${error.message.replace(/^EVENTSTORE_URL: /, '')}`, error.exitCode);
  }
};

/** @throws CommandFailed */
export const openToRead = (side: Side, at: EventStoreAddress): Promise<EventLogReader> => {
  assertLogExists(side, at);
  return withSide(side, at, () => readEventLog(at));
};

/** Creates the file where there is none; no other process may hold it. @throws CommandFailed */
export const openToWrite = (side: Side, at: EventStoreAddress): Promise<EventStore> => withSide(side, at, () => writeEventLog(at));
