import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ROOT } from './built';

const PEERS = join(ROOT, 'test/bench/peers/package.json');

export const PEERS_MISSING = 'not installed; `npm run bench:peers` installs the peers (sqlite3 compiles for a minute)';

export const peersAreInstalled = (): boolean =>
  existsSync(join(ROOT, 'test/bench/peers/node_modules/sqlite3/build/Release/node_sqlite3.node'));

export const peerVersion = (name: string): string =>
  (createRequire(PEERS)(join(ROOT, 'test/bench/peers/node_modules', name, 'package.json')) as { version: string }).version;

/** What the measurements use of Emmett's SQLite store; its own types stay with it, for the peers are installed on demand. */
export interface EmmettStore {
  appendToStream(stream: string, events: readonly EmmettEvent[]): Promise<unknown>;
  consumer(): EmmettConsumer;
  schema: { migrate(): Promise<void> };
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

/** As it comes: a connection an operation, no setting changed. */
export const openEmmett = (fileName: string): EmmettStore => {
  const { getSQLiteEventStore } = createRequire(PEERS)('@event-driven-io/emmett-sqlite') as {
    getSQLiteEventStore: (options: { fileName: string }) => EmmettStore;
  };
  return getSQLiteEventStore({ fileName });
};
