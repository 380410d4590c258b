import { WireServer } from '../../fakes/eventstoredb';
import { runAll, startDatabases, type ProductionDatabases } from './production-databases';
import type { Environment } from './service-process';

/** An EventStoreDB (a wire server in this process, or the one that `ESDB_URL` names) and a PostgreSQL. */
export class ServerStores {
  private constructor(
    readonly wire: WireServer | undefined,
    readonly eventStoreUrl: string,
    readonly databases: ProductionDatabases,
  ) {}

  static async start(): Promise<ServerStores> {
    const databases = await startDatabases();
    const wire = await WireServer.start();
    return new ServerStores(wire, wire.connectionString, databases);
  }

  /** Uses the log that `ESDB_URL` names, if set. All tests share that log and must run one after the other. */
  static async ofThisRun(): Promise<ServerStores> {
    const url = process.env['ESDB_URL'] || undefined;
    return url === undefined ? ServerStores.start() : new ServerStores(undefined, url, await startDatabases());
  }

  get environment(): Environment {
    return {
      EVENTSTORE_URL: this.eventStoreUrl,
      READ_MODEL_URL: this.databases.readModelUrl,
      VAULT_URL: this.databases.vaultUrl,
    };
  }

  async text(): Promise<string> {
    const { wire, databases } = this;
    const events = Array.from({ length: wire?.log.length ?? 0 }, (_, index) => wire?.log.at(index));
    const log = events.map((event) => `${event?.stream} ${event?.type} ${text(event?.data)} ${text(event?.metadata)}`);
    const rows = await Promise.all([databases.readModelUrl, databases.vaultUrl].map(rowsOf));
    return [...log, ...rows].join('\n');
  }

  /** Drops the databases with their data. A real EventStoreDB keeps its events. */
  async stop(): Promise<void> {
    await this.wire?.kill();
    await this.databases.stop();
  }
}

/** A generation may take over while tables are read and brings new tables, so they are listed again. */
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
