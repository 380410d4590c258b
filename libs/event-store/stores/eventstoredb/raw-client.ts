import { EventStoreDBClient } from '@eventstore/db-client';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import type { CallOptions, Channel, ChannelOptions, Metadata } from '@grpc/grpc-js';
import type { ConnectionSettings } from './connection-url';
import type { CallError } from './failure';

interface CallSettings {
  readonly credentials?: { readonly username: string; readonly password: string };
  readonly requiresLeader: boolean;
  readonly deadline?: number;
}

/** Internals of client version 6.2.1, which is pinned. They are checked when it is opened. */
interface ClientInternals {
  createChannel(): Promise<Channel>;
  getGRPCClient(kind: typeof StreamsClient, name: string): Promise<StreamsClient>;
  handleError(streams: StreamsClient, error: Error): Promise<void>;
  callArguments(settings: CallSettings, options?: CallOptions): [Metadata, CallOptions];
}

const INTERNAL_METHODS = [
  'createChannel',
  'getGRPCClient',
  'handleError',
  'callArguments',
] as const satisfies readonly (keyof ClientInternals)[];

/**
 * Flow-control window per connection and call. With HTTP/2's 64 KiB, a briefly busy process blocks the server, which then drops its live
 * subscription (EventStoreDB notes, section 1, point 10).
 */
const WINDOW_BYTES = 8 * 1024 * 1024;

const versionFault = (what: string): Error => new Error(`@eventstore/db-client is not the version that this was made for: ${what}`);

/** The client has no option for the window, so set it on a channel that has not connected yet. */
const withWindow = (channel: Channel): Channel => {
  const { options } = (channel as unknown as { internalChannel?: { options?: ChannelOptions } }).internalChannel ?? {};
  if (options === undefined) throw versionFault('options of a channel');
  options['grpc-node.flow_control_window'] = WINDOW_BYTES;
  return channel;
};

export interface Connection {
  streams(): Promise<StreamsClient>;
  /** @param deadlineMs undefined for a call without a deadline */
  callArguments(deadlineMs?: number): [Metadata, CallOptions];
  failed(streams: StreamsClient, error: CallError): void;
  received(): void;
  /** Number of responses. If it does not change during a call that times out, the connection is dead. */
  readonly receivedCount: number;
}

/**
 * The one connection of a process. It uses the client for discovery, TLS, authentication and reconnecting only. The client's own methods
 * would re-serialise stored JSON (`docs/adr/0007`) and send an append after it was abandoned.
 */
export class RawClient implements Connection {
  readonly #client: EventStoreDBClient;
  readonly #internals: ClientInternals;
  readonly #credentials: ConnectionSettings['credentials'];
  #newest: StreamsClient | undefined;
  receivedCount = 0;

  /** @throws Error with one line if a file named in the URL cannot be used */
  constructor({ clientUrl, credentials }: ConnectionSettings) {
    try {
      this.#client = EventStoreDBClient.connectionString(clientUrl);
    } catch (error) {
      throw new Error(`EVENTSTORE_URL: ${(error as Error).message.replace(/\s+/g, ' ')}`, { cause: error });
    }
    this.#internals = this.#client as unknown as ClientInternals;
    for (const name of INTERNAL_METHODS) {
      if (typeof this.#internals[name] !== 'function') throw versionFault(name);
    }
    const createChannel = this.#internals.createChannel.bind(this.#internals);
    this.#internals.createChannel = async () => withWindow(await createChannel());
    this.#credentials = credentials;
  }

  async streams(): Promise<StreamsClient> {
    const streams = await this.#internals.getGRPCClient(StreamsClient, 'streams');
    this.#newest = streams;
    return streams;
  }

  callArguments(deadlineMs?: number): [Metadata, CallOptions] {
    const settings: CallSettings = { requiresLeader: true, ...(this.#credentials !== undefined && { credentials: this.#credentials }) };
    if (deadlineMs === undefined) return this.#internals.callArguments(settings, { deadline: Infinity });
    return this.#internals.callArguments({ ...settings, deadline: deadlineMs });
  }

  failed(streams: StreamsClient, error: CallError): void {
    // The current discovery reports its failure to its own caller.
    this.#internals.handleError(streams, error).catch(() => undefined);
  }

  received(): void {
    this.receivedCount += 1;
  }

  async close(): Promise<void> {
    await this.#client.dispose();
    this.#newest?.close();
  }
}
