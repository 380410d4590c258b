import { WireServer } from '../../fakes/eventstoredb';
import { runAll, startDatabases, type ProductionDatabases } from './production-databases';
import type { Environment } from './service-process';

/** The production set: an EventStoreDB (a wire server in this process, or the one that `ESDB_URL` names) and a PostgreSQL. */
export class ServerStores {
  private constructor(
    /** Undefined where a real server is used. */
    readonly wire: WireServer | undefined,
    readonly eventStoreUrl: string,
    readonly databases: ProductionDatabases,
  ) {}

  /** Starts an empty set for this test alone. */
  static async start(): Promise<ServerStores> {
    const databases = await startDatabases();
    const wire = await WireServer.start();
    return new ServerStores(wire, wire.connectionString, databases);
  }

  /** Uses the log that `ESDB_URL` names, where it does: one for all tests, which must then run one after the other. */
  static async ofThisRun(): Promise<ServerStores> {
    const url = process.env['ESDB_URL'] || undefined;
    return url === undefined ? ServerStores.start() : new ServerStores(undefined, url, await startDatabases());
  }

  /** The environment with which a service uses these stores. */
  get environment(): Environment {
    return {
      EVENTSTORE_URL: this.eventStoreUrl,
      READ_MODEL_URL: this.databases.readModelUrl,
      VAULT_URL: this.databases.vaultUrl,
    };
  }

  /** Everything that is stored here, as text: the log as far as this process serves it, and every row of the read models. */
  async text(): Promise<string> {
    const { wire, databases } = this;
    const events = Array.from({ length: wire?.log.length ?? 0 }, (_, index) => wire?.log.at(index));
    const log = events.map((event) => `${event?.stream} ${event?.type} ${text(event?.data)} ${text(event?.metadata)}`);
    const rows = await Promise.all([databases.readModelUrl, databases.vaultUrl].map(rowsOf));
    return [...log, ...rows].join('\n');
  }

  /** Drops the databases with their data; a real server keeps what was written. */
  async stop(): Promise<void> {
    await this.wire?.kill();
    await this.databases.stop();
  }
}

/** A generation that takes over while the tables are read has tables of its own, so they are listed again. */
const LISTINGS_MAX = 10;

const rowsOf = async (url: string): Promise<string> => {
  for (let listing = 1; ; listing++) {
    try {
      const tables = await runAll(url, 'select tablename from pg_tables where schemaname = current_schema()');
      const found: unknown[] = [];
      for (const { tablename } of tables) found.push(await runAll(url, `select * from ${String(tablename)}`));
      return JSON.stringify(found);
    } catch (error) {
      if ((error as { code?: unknown }).code !== UNDEFINED_TABLE || listing === LISTINGS_MAX) throw error;
    }
  }
};
const UNDEFINED_TABLE = '42P01';

const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();
