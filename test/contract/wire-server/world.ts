import { WireServer, type WireServerSettings } from '../../fakes/eventstoredb';
import { EventStoreDBClient } from '@eventstore/db-client';

/** The rpc of an append: the client uses Append if a call has credentials, and BatchAppend otherwise. */
export type Rpc = 'Append' | 'BatchAppend';

const CREDENTIALS = { credentials: { username: 'nobody', password: 'nothing' } };
export const by = (rpc: Rpc): { credentials?: { username: string; password: string } } => (rpc === 'Append' ? CREDENTIALS : {});

export class World {
  readonly #servers: WireServer[] = [];
  readonly #clients: EventStoreDBClient[] = [];

  async server(settings: WireServerSettings = {}): Promise<WireServer> {
    const server = await WireServer.start(settings);
    this.#servers.push(server);
    return server;
  }

  client({ connectionString }: WireServer, options = ''): EventStoreDBClient {
    return this.connect(`${connectionString}${options}`);
  }

  connect(connectionString: string): EventStoreDBClient {
    const client = EventStoreDBClient.connectionString(connectionString);
    this.#clients.push(client);
    return client;
  }

  async end(): Promise<void> {
    await Promise.all(this.#servers.splice(0).map((server) => server.kill()));
    await Promise.all(this.#clients.splice(0).map((client) => client.dispose()));
  }
}
