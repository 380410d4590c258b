import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { NewEvent } from '@app/event-store';
import { ROOT } from './built';

const PEERS = join(ROOT, 'test/bench/peers/package.json');

export const PEERS_MISSING = 'not installed; `npm run bench:peers` installs the peers (sqlite3 compiles for a minute)';

const PROOFS = ['sqlite3/build/Release/node_sqlite3.node', '@event-driven-io/emmett-postgresql/package.json'];

export const peersAreInstalled = (): boolean => PROOFS.every((proof) => existsSync(join(ROOT, 'test/bench/peers/node_modules', proof)));

export const peerVersion = (name: string): string =>
  (createRequire(PEERS)(join(ROOT, 'test/bench/peers/node_modules', name, 'package.json')) as { version: string }).version;

/** The part of Emmett's stores that the measurements use; their own types are not imported, because the peers are installed on demand. */
export interface EmmettStore {
  appendToStream(stream: string, events: readonly EmmettEvent[], options?: EmmettAppendOptions): Promise<unknown>;
  consumer(): EmmettConsumer;
  schema: { migrate(): Promise<void> };
}

export interface EmmettAppendOptions {
  readonly expectedStreamVersion: 'STREAM_DOES_NOT_EXIST';
}

export interface EmmettPostgresStore extends EmmettStore {
  close(): Promise<void>;
}

export interface EmmettEvent {
  readonly type: string;
  readonly data: unknown;
  readonly metadata?: unknown;
}

export interface EmmettConsumer {
  processor(options: {
    readonly processorId: string;
    readonly startFrom: 'BEGINNING';
    readonly eachMessage: (event: EmmettEvent) => void;
    readonly stopAfter: (event: EmmettEvent) => boolean;
  }): unknown;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Emmett takes objects and writes the JSON itself. */
export const emmettEvent = ({ type, data, metadata }: NewEvent): EmmettEvent => ({
  type,
  data: JSON.parse(data) as unknown,
  metadata: JSON.parse(metadata) as unknown,
});

/** Emmett's SQLite store with its defaults: a connection for each operation, no setting changed. */
export const openEmmett = (fileName: string): EmmettStore => {
  const { getSQLiteEventStore } = createRequire(PEERS)('@event-driven-io/emmett-sqlite') as {
    getSQLiteEventStore: (options: { fileName: string }) => EmmettStore;
  };
  return getSQLiteEventStore({ fileName });
};

/** Emmett's PostgreSQL store with its defaults: a pool of ten connections, a transaction for each append. */
export const openEmmettOnPostgres = (url: string): EmmettPostgresStore => {
  const { getPostgreSQLEventStore } = createRequire(PEERS)('@event-driven-io/emmett-postgresql') as {
    getPostgreSQLEventStore: (url: string) => EmmettPostgresStore;
  };
  return getPostgreSQLEventStore(url);
};
