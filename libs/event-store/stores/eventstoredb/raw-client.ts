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

/** Internal methods of the client, from version 6.2.1, which is pinned; their presence is checked when it is opened. */
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
 * Flow-control window of a connection and of each call. With HTTP/2's 64 KiB, a process that is busy for a moment blocks the server, which then drops its
 * live subscription as too slow (EventStoreDB notes, section 1, point 10).
 */
const WINDOW_BYTES = 8 * 1024 * 1024;

const versionFault = (what: string): Error => new Error(`@eventstore/db-client is not the version that this was made for: ${what}`);

/** Sets the window on a channel that has not connected yet. The client has no option for it. */
const withWindow = (channel: Channel): Channel => {
  const { options } = (channel as unknown as { internalChannel?: { options?: ChannelOptions } }).internalChannel ?? {};
  if (options === undefined) throw versionFault('options of a channel');
  options['grpc-node.flow_control_window'] = WINDOW_BYTES;
  return channel;
};

/** The connection that the adapter's calls need. */
export interface Connection {
  /** Waits for discovery in a cluster; rejects with "Failed to discover". */
  streams(): Promise<StreamsClient>;
  /** Arguments of a call to the leader in the user's name. @param deadlineMs absent for a call without a deadline */
  callArguments(deadlineMs?: number): [Metadata, CallOptions];
  /** Reports a failed call, so that the next one goes to another node or over a new connection where the error requires it. */
  failed(streams: StreamsClient, error: CallError): void;
  /** Records that the server has answered. */
  heard(): void;
  /** Count of answers. A call that gets none while this count does not move was sent over a dead connection. */
  readonly heardCount: number;
}

/**
 * The one connection of a process. The client does discovery, TLS, authentication and reconnecting; the adapter makes and reads the messages by the
 * client's stubs, because the client's own methods would re-serialise stored JSON (`docs/adr/0007`) and send an append after it was abandoned.
 */
export class RawClient implements Connection {
  readonly #client: EventStoreDBClient;
  readonly #internals: ClientInternals;
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
    // The call waits for a discovery under way, whose failure is reported to its own caller.
    this.#internals.handleError(streams, error).catch(() => undefined);
  }

  heard(): void {
    this.heardCount += 1;
  }

  async close(): Promise<void> {
    await this.#client.dispose();
    // `dispose` does not close the connection itself.
    this.#newest?.close();
  }
}
