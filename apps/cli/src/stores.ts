import { existsSync } from 'node:fs';
import { systemClock, systemScheduler, waitAtMost, type MerchantLogin } from '@app/kernel';
import type { EventStore } from '@app/event-store';
import { openEventLogReader, openEventStore, WriterLocked, type EventStoreAddress } from '@app/event-store/stores';
import { type Configuration, type OrchestratorEnvironment, loadConfiguration, packageRoot, readEnvironment } from '@app/configuration';
import { openReadModelReader, readModelPlace, type ReadModelReader } from '@app/read-models';
import { decodeAny, EVENT_CODECS } from '@app/read-models/queries';
import { GATE_ADAPTERS, type ConfiguredGate } from '@app/gateway-adapters/registry';
import { CommandFailed, EXIT } from './terminal';

export const ownEnvironment = (): OrchestratorEnvironment => readEnvironment(process.env, packageRoot());

export const configurationOf = ({ configurationPath }: Pick<OrchestratorEnvironment, 'configurationPath'>): Configuration<ConfiguredGate> =>
  loadConfiguration(configurationPath, process.env, GATE_ADAPTERS);

/** Shows a mistyped address within 3 s, start of the program included. */
const OPEN_LIMIT_MS = 2_000;

const namedBy = (setting: string, text: string): string => (text.startsWith(`${setting}: `) ? text : `${setting}: ${text}`);

export const KNOWN_CATEGORIES: ReadonlySet<string> = new Set(EVENT_CODECS.map(({ category }) => category));

export type EventLogReader = Omit<EventStore, 'append'>;

const assertLogExists = (at: EventStoreAddress): void => {
  if (at.kind === 'file' && !existsSync(at.path))
    throw new CommandFailed(`no event log at ${at.path}. Set DATA_DIR to the folder of the service`);
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

/** Opens the log for reading, during or without a running service. @throws CommandFailed if there is no log, or it cannot be read */
export const readEventLog = (at: EventStoreAddress): Promise<EventLogReader> => {
  assertLogExists(at);
  return orCommandFailed(at, openEventLogReader(at, systemScheduler, { openLimitMs: OPEN_LIMIT_MS }));
};

/** Opens the log for writing; a file must have no other writer. @throws CommandFailed */
export const writeEventLog = async (at: EventStoreAddress): Promise<EventStore> =>
  (await orCommandFailed(at, openEventStore({ at, clock: systemClock, scheduler: systemScheduler, openLimitMs: OPEN_LIMIT_MS }))).store;

/** Runs work on an opened log, and closes it. */
export const withLog = async <Log extends EventLogReader, Result>(
  opening: Promise<Log>,
  work: (log: Log) => Promise<Result>,
): Promise<Result> => {
  const log = await opening;
  try {
    return await work(log);
  } finally {
    await log.close();
  }
};

type Place = Pick<OrchestratorEnvironment, 'readModel'>;

const SETTING = 'READ_MODEL_URL';

const hostOf = ({ readModel }: Place): string => (readModel.kind === 'file' ? readModel.path : new URL(readModel.url.reveal()).host);

/** Opens the read model; undefined if it was never built. @throws CommandFailed within seconds if it cannot be read */
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
  // The reader may still open after the deadline, and must then be closed.
  opening.then(
    (reader) => reader.close(),
    () => undefined,
  );
  throw new CommandFailed(`${SETTING}: ${hostOf(environment)} does not answer within ${OPEN_LIMIT_MS} ms`);
};

export interface OrderReaders {
  readonly log: EventLogReader;
  /** Undefined if no read model was built yet. */
  readonly readModel: ReadModelReader | undefined;
  close(): Promise<void>;
}

/** @throws CommandFailed if there is no event log */
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

export const withReaders = async <Result>(
  environment: OrchestratorEnvironment,
  run: (readers: OrderReaders) => Promise<Result>,
): Promise<Result> => {
  const readers = await openOrderReaders(environment);
  try {
    return await run(readers);
  } finally {
    await readers.close();
  }
};

export const builtReadModel = ({ readModel }: Pick<OrderReaders, 'readModel'>): ReadModelReader => {
  if (readModel === undefined) throw new CommandFailed('the read model was never built. Start the service, or run orch rebuild');
  return readModel;
};

export interface OrderVerb {
  readonly environment: OrchestratorEnvironment;
  readonly readers: OrderReaders;
  readonly merchants: readonly MerchantLogin[];
}

export const withOrders = async <Result>(merchant: string | undefined, run: (verb: OrderVerb) => Promise<Result>): Promise<Result> => {
  const environment = ownEnvironment();
  const merchants = merchant === undefined ? configurationOf(environment).accounts.logins : [merchant as MerchantLogin];
  return withReaders(environment, (readers) => run({ environment, readers, merchants }));
};
