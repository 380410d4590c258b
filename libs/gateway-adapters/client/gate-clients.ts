import { GateClient } from './gate-client';
import type { GateClientOptions } from './options';

/** What all clients of a process have in common. */
export type SharedOptions = Pick<GateClientOptions, 'monotonic' | 'scheduler' | 'onTranscript'>;

/** The clients of a process, each made by the adapter of its gate; they end together. */
export class GateClients {
  readonly #clients = new Set<GateClient>();

  constructor(private readonly shared: SharedOptions) {}

  /** Opens no connection. @throws Error for a base URL that is none */
  open(own: Omit<GateClientOptions, keyof SharedOptions>): GateClient {
    const client = new GateClient({ ...own, ...this.shared });
    this.#clients.add(client);
    return client;
  }

  /** As each client's own; resolves when all have ended. */
  async close(withinMs: number): Promise<void> {
    await Promise.all([...this.#clients].map((client) => client.close(withinMs)));
  }
}
