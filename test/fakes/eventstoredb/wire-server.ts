import { randomUUID } from 'node:crypto';
import { GossipService, ServerFeaturesService, StreamsService } from '@app/event-store/stores/eventstoredb/wire';
import { append } from './rpc/append-rpc';
import { batchAppend } from './rpc/batch-append-rpc';
import { softDelete, tombstone } from './rpc/delete-rpc';
import { gossipRead, supportedMethods, type Member } from './rpc/discovery-rpc';
import { WireServerFaults } from './faults';
import { GrpcServer } from './grpc/grpc-server';
import { LogWriter } from './log/log-writer';
import type { Address, Node } from './node';
import { read } from './rpc/read-rpc';
import { StreamView } from './log/stream-view';
import { WireServerLog } from './log/wire-server-log';

const HOST = '127.0.0.1';
const WRITE_TIMEOUT_MS = 2_000;

export interface WireServerSettings {
  /** 0 (the default) chooses a free port, which is kept over restarts. */
  readonly port?: number;
  readonly log?: WireServerLog;
  readonly nowMs?: () => number;
  /** A follower has the leader's log and forwards writes to it, unless the caller requires the leader. */
  readonly leader?: WireServer;
  readonly writeTimeoutMs?: number;
  /** HTTP/2 streams of one connection at once. */
  readonly streamsMax?: number | undefined;
}

/**
 * Speaks EventStoreDB's protocol over a plaintext socket, with the log in memory. It follows the observed cases (EventStoreDB notes,
 * section 3) and is never more lenient.
 */
export class WireServer {
  readonly log: WireServerLog;
  readonly faults = new WireServerFaults();
  readonly #instanceId = randomUUID();
  readonly #nowMs: () => number;
  readonly #leader: WireServer | undefined;
  readonly #followers = new Set<WireServer>();
  readonly #server: GrpcServer;
  #port: number;
  #isUp = false;
  #writer: LogWriter;

  private constructor(settings: WireServerSettings) {
    this.#leader = settings.leader;
    this.log = settings.leader?.log ?? settings.log ?? new WireServerLog();
    this.#nowMs = settings.nowMs ?? Date.now;
    this.#port = settings.port ?? 0;
    this.#server = new GrpcServer(settings.streamsMax);
    this.#writer = new LogWriter(this.log, this.#nowMs);
    if (settings.leader !== undefined) settings.leader.#followers.add(this);
    const node: Node = {
      log: this.log,
      view: new StreamView(this.log, this.#nowMs),
      faults: this.faults,
      writer: () => (this.#leader ?? this).#writer,
      leaderElsewhere: () => this.#leader?.address,
      writeTimeoutMs: settings.writeTimeoutMs ?? WRITE_TIMEOUT_MS,
    };
    this.#server.on(StreamsService.append, append(node));
    this.#server.on(StreamsService.batchAppend, batchAppend(node));
    this.#server.on(StreamsService.read, read(node));
    this.#server.on(StreamsService.delete, softDelete(node));
    this.#server.on(StreamsService.tombstone, tombstone(node));
    this.#server.on(
      GossipService.read,
      gossipRead(
        () => this.#members(),
        () => this.faults.isDiscoveryDown,
      ),
    );
    this.#server.on(ServerFeaturesService.getSupportedMethods, supportedMethods);
  }

  static async start(settings: WireServerSettings = {}): Promise<WireServer> {
    const server = new WireServer(settings);
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    await this.#server.listen(HOST, this.#port);
    this.#port = this.#server.port;
    this.#isUp = true;
    if (this.#leader !== undefined) return;
    this.#writer = new LogWriter(this.log, this.#nowMs);
    this.log.writeEpoch();
  }

  /** Like SIGKILL: every connection ends at once, and committed events stay. */
  async kill(): Promise<void> {
    this.#isUp = false;
    await this.#server.kill();
  }

  /** Like SIGTERM: open calls may finish within this time, and are then ended without a status. */
  async stop(graceMs = 0): Promise<void> {
    this.#isUp = false;
    await this.#server.stop(graceMs);
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  /** Like SIGSTOP for calls: arriving messages wait until `thaw()`, but pings are answered. */
  freeze(): void {
    this.#server.freeze();
  }

  thaw(): void {
    this.#server.thaw();
  }

  get openCalls(): number {
    return this.#server.openCalls;
  }

  get address(): Address {
    return { host: HOST, port: this.#port };
  }

  get connectionString(): string {
    return `esdb://${HOST}:${this.#port}?tls=false`;
  }

  /** Address with discovery: the client asks for the leader before it connects. */
  get discoveryConnectionString(): string {
    return `esdb+discover://${HOST}:${this.#port}?tls=false`;
  }

  #members(): readonly Member[] {
    const leader = this.#leader ?? this;
    return [leader, ...leader.#followers].map((server) => ({
      ...server.address,
      instanceId: server.#instanceId,
      isLeader: server === leader,
      isAlive: server.#isUp,
    }));
  }
}
