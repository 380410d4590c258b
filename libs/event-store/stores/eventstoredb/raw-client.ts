import { EventStoreDBClient } from '@eventstore/db-client';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import type { CallOptions, ChannelOptions, Metadata } from '@grpc/grpc-js';
import type { Scheduled, Scheduler } from '@app/kernel';
import type { ClientHttp2Session } from 'node:http2';
import type { ConnectionSettings } from './connection-url';
import { attemptTimeMs } from './calls';
import { connectionDead, isCancelledHere, type CallError } from './failure';

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

/** A busy process runs late timers before it reads arrived data, so its own pauses count as one part only. */
const PING_PARTS = 5;

const versionFault = (what: string): Error => new Error(`@eventstore/db-client is not the version that this was made for: ${what}`);

type Channel = ReturnType<StreamsClient['getChannel']>;

interface ChannelInternals {
  readonly options: ChannelOptions;
  readonly wrappedSubchannels: ReadonlySet<{ readonly child: { readonly transport: { readonly session: ClientHttp2Session } | null } }>;
}

const internalsOf = (channel: Channel): Partial<ChannelInternals> =>
  (channel as unknown as { internalChannel?: ChannelInternals }).internalChannel ?? {};

/** The client has no option for the window, so set it on a channel that has not connected yet. */
const withWindow = (channel: Channel): Channel => {
  const { options, wrappedSubchannels } = internalsOf(channel);
  if (options === undefined || wrappedSubchannels === undefined) throw versionFault('options or connections of a channel');
  options['grpc-node.flow_control_window'] = WINDOW_BYTES;
  return channel;
};

/** gRPC's keep-alive would end the connection of a process that was busy for the time of a ping. */
const sessionOf = (channel: Channel): ClientHttp2Session | undefined =>
  [...(internalsOf(channel).wrappedSubchannels ?? [])]
    .map(({ child }) => child.transport?.session)
    .find((session) => session !== undefined && !session.closed && !session.destroyed);

export interface Connection {
  streams(): Promise<StreamsClient>;
  /** @param deadlineMs undefined for a call without a deadline */
  callArguments(deadlineMs?: number): [Metadata, CallOptions];
  failed(streams: StreamsClient, error: CallError): void;
  /** A call had no response in time. Ends the connection if it has received nothing since and does not answer a ping either. */
  silent(streams: StreamsClient, receivedBefore: number): void;
  received(): void;
  /** Number of responses to any call. */
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
  readonly #scheduler: Scheduler;
  readonly #pingMs: number;
  #newest: StreamsClient | undefined;
  #ping: Scheduled | undefined;
  #deadInARow = 0;
  receivedCount = 0;

  /**
   * @param pingMs time for a connection to answer a ping, or to be established. Grows like that of calls while none is.
   * @throws Error with one line if a file named in the URL cannot be used
   */
  constructor({ clientUrl, credentials }: ConnectionSettings, scheduler: Scheduler, pingMs: number) {
    this.#scheduler = scheduler;
    this.#pingMs = pingMs;
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
    if (isCancelledHere(error)) return;
    // The current discovery reports its failure to its own caller.
    this.#internals.handleError(streams, error).catch(() => undefined);
  }

  silent(streams: StreamsClient, receivedBefore: number): void {
    if (this.receivedCount === receivedBefore && this.#ping === undefined) void this.#pingOrEnd(streams, receivedBefore);
  }

  async #pingOrEnd(streams: StreamsClient, receivedBefore: number): Promise<void> {
    const channel = streams.getChannel();
    const session = sessionOf(channel);
    let isAnswered = false;
    session?.ping((error) => (isAnswered ||= error === null));
    const isAlive = (): boolean =>
      isAnswered || this.receivedCount !== receivedBefore || (session === undefined && sessionOf(channel) !== undefined);
    const timeMs = attemptTimeMs(this.#pingMs, this.#deadInARow);
    for (let part = 0; part < PING_PARTS && !isAlive(); part++) {
      await new Promise((resolve) => (this.#ping = this.#scheduler.after(timeMs / PING_PARTS, () => setImmediate(resolve))));
    }
    this.#ping = undefined;
    if (isAlive()) return;
    this.#deadInARow += 1;
    this.failed(streams, connectionDead());
    session?.destroy();
  }

  received(): void {
    this.receivedCount += 1;
    this.#deadInARow = 0;
  }

  async close(): Promise<void> {
    this.#ping?.cancel();
    await this.#client.dispose();
    this.#newest?.close();
  }
}
