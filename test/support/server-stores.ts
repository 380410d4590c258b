import { WireServer } from '@app/event-store/testing/wire-server';
import { startDatabases, type ProductionDatabases } from './production-databases';
import type { Environment } from './service-process';

/** The production set: an EventStoreDB (a wire server in this process, or the one that `ESDB_URL` names) and a PostgreSQL. */
export class ServerStores {
  private constructor(
    /** Undefined where a real server is used. */
    readonly wire: WireServer | undefined,
    readonly eventStoreUrl: string,
    readonly databases: ProductionDatabases,
  ) {}

  static async start(esdbUrl = process.env['ESDB_URL'] || undefined): Promise<ServerStores> {
    const databases = await startDatabases();
    const wire = esdbUrl === undefined ? await WireServer.start() : undefined;
    return new ServerStores(wire, esdbUrl ?? wire?.connectionString ?? '', databases);
  }

  /** What leads a service here. */
  get environment(): Environment {
    return {
      EVENTSTORE_URL: this.eventStoreUrl,
      READ_MODEL_URL: this.databases.readModelUrl,
      VAULT_URL: this.databases.vaultUrl,
    };
  }

  /** The databases end with their data; a real server keeps what was written. */
  async stop(): Promise<void> {
    await this.wire?.kill();
    await this.databases.stop();
  }
}
