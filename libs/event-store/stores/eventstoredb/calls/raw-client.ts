import { EventStoreDBClient } from '@eventstore/db-client';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import type { CallOptions, Metadata } from '@grpc/grpc-js';
import type { ConnectionSettings } from './connection-url';
import type { CallError } from './failure';

interface CallSettings {
  readonly credentials?: { readonly username: string; readonly password: string };
  readonly requiresLeader: boolean;
  readonly deadline?: number;
}

/** What the client's own calls are made of (6.2.1, pinned; checked when it is opened). */
interface Inside {
  getGRPCClient(kind: typeof StreamsClient, name: string): Promise<StreamsClient>;
  handleError(streams: StreamsClient, error: Error): Promise<void>;
  callArguments(settings: CallSettings, options?: CallOptions): [Metadata, CallOptions];
}

const INSIDE = ['getGRPCClient', 'handleError', 'callArguments'] as const satisfies readonly (keyof Inside)[];

/** A connection as the adapter's calls need it. */
export interface Connection {
  /** Waits for discovery where there is a cluster; rejects with "Failed to discover". */
  streams(): Promise<StreamsClient>;
  /** By the leader alone, in the user's name. @param deadlineMs of the call; without one it may last */
  callArguments(deadlineMs?: number): [Metadata, CallOptions];
  /** So that the next call goes to another node, or to this one on a new connection, where the error asks for it. */
  failed(streams: StreamsClient, error: CallError): void;
  /** The server has said something. */
  heard(): void;
  /** How often it has: a call that ends without an answer while this stands still went out on a dead connection. */
  readonly heardCount: number;
}

/**
 * The one connection of a process: discovery, TLS, user and reconnecting are the client's; the messages are made and read here, by the client's
 * own stubs. Its methods would parse the stored JSON and write it anew (`docs/adr/0007`), and would send an append after we had given it up.
 */
export class RawClient implements Connection {
  readonly #client: EventStoreDBClient;
  readonly #inside: Inside;
  readonly #credentials: ConnectionSettings['credentials'];
  #newest: StreamsClient | undefined;
  heardCount = 0;

  /** @throws Error in one line where a file that the URL names cannot be used */
  constructor({ clientUrl, credentials }: ConnectionSettings) {
    try {
      this.#client = EventStoreDBClient.connectionString(clientUrl);
    } catch (error) {
      throw new Error(`EVENTSTORE_URL: ${(error as Error).message.replace(/\s+/g, ' ')}`, { cause: error });
    }
    this.#inside = this.#client as unknown as Inside;
    for (const name of INSIDE) {
      if (typeof this.#inside[name] !== 'function')
        throw new Error(`@eventstore/db-client is not the version that this was made for: ${name}`);
    }
    this.#credentials = credentials;
  }

  async streams(): Promise<StreamsClient> {
    const streams = await this.#inside.getGRPCClient(StreamsClient, 'streams');
    this.#newest = streams;
    return streams;
  }

  callArguments(deadlineMs?: number): [Metadata, CallOptions] {
    const settings: CallSettings = { requiresLeader: true, ...(this.#credentials !== undefined && { credentials: this.#credentials }) };
    if (deadlineMs === undefined) return this.#inside.callArguments(settings, { deadline: Infinity });
    return this.#inside.callArguments({ ...settings, deadline: deadlineMs });
  }

  failed(streams: StreamsClient, error: CallError): void {
    // It waits for a discovery that may be under way, whose failure is told to who began it.
    this.#inside.handleError(streams, error).catch(() => undefined);
  }

  heard(): void {
    this.heardCount += 1;
  }

  async close(): Promise<void> {
    await this.#client.dispose();
    // What it forgets: the connection itself.
    this.#newest?.close();
  }
}
