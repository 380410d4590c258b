import type { Monotonic, Scheduled, Scheduler } from '@app/kernel';
import { Connection, type ConnectionOptions, type WrittenRequest } from './connection';
import { Connections, type ConnectionUser } from './connections';
import { Exchange, type AnswerBody, type AnswerHeaders, type ExchangeOwner } from './exchange';

/** Origins whose sockets are kept; the one unused for longest makes room. */
const ORIGINS_MAX = 1_024;
/** How long the rest of an answer is read if its status was enough, so that the socket can be used again. */
const REST_MS_MAX = 1_000;

export interface ClientOptions extends ConnectionOptions {
  /** To one origin: one that hangs uses up its own share and no more (safety, B18). */
  readonly connectionsMax: number;
  /** Calls that wait for a connection to one origin, beyond those that have one. */
  readonly waitingMax: number;
  /** Connections in use to all origins. */
  readonly inUseMax?: number | undefined;
}

/** How long a call may take, and what ends it before. */
export interface CallTime {
  /** From the start of the call to the last byte of the answer. */
  readonly withinMs: number;
  readonly signal?: AbortSignal | undefined;
  /** The call is answered by its status, whatever becomes of the rest of the answer, and has no body. */
  readonly needs?: 'status' | undefined;
}

/** When the stages of a call were reached, by the monotonic clock. */
interface CallTimes {
  readonly begunAtMs: number;
  connectingAtMs?: number;
  sentAtMs?: number;
}

type Cut = 'timeout' | 'aborted' | 'closed';

/** Money depends on `isSent`: where it is false no byte of the request was written, and none will be. */
type CallOutcome =
  /** Any status of 200 or more, also that of a redirect, which is not followed. */
  | { readonly kind: 'answered'; readonly status: number }
  /** `busy`: no connection is free, and as many calls wait as may. An error is that of the HTTP client, or of the making of the connection. */
  | { readonly kind: 'failed'; readonly isSent: boolean; readonly why: Cut | 'busy' | Error };

/** What came of a call; headers and body are those of the answer, so far as it came. */
export interface CallEnd {
  readonly outcome: CallOutcome;
  readonly headers: AnswerHeaders;
  readonly body: AnswerBody | undefined;
  readonly times: CallTimes;
  readonly endedAtMs: number;
}

/**
 * One request on its way: it waits for a connection, is written once at most, and is answered or not. It ends once, at its deadline at the latest; its
 * connection is held until the HTTP client is done with it, which may be later.
 */
class Call implements ConnectionUser, ExchangeOwner {
  readonly #times: CallTimes;
  #connection: Connection | undefined;
  #exchange: Exchange | undefined;
  #deadline: Scheduled | undefined;
  #isEnded = false;

  /** @param ended called once */
  constructor(
    private readonly parts: { readonly connections: Connections; readonly monotonic: Monotonic; readonly scheduler: Scheduler },
    private readonly request: WrittenRequest,
    private readonly time: CallTime,
    private readonly ended: (end: CallEnd) => void,
  ) {
    this.#times = { begunAtMs: parts.monotonic.elapsedMs() };
  }

  begin(): void {
    const { signal, withinMs } = this.time;
    if (this.#isOver()) return;
    if (!this.parts.connections.request(this)) this.#end({ kind: 'failed', isSent: false, why: 'busy' });
    if (this.#isEnded) return;
    this.#deadline = this.parts.scheduler.after(withinMs, () => this.cut('timeout'));
    signal?.addEventListener('abort', this.#onAbort);
  }

  /** Ends the call now: as not sent where no byte was written, and none is from here on. */
  cut(why: Cut): void {
    if (this.#isEnded) return;
    this.#end({ kind: 'failed', isSent: this.#exchange?.isSent === true, why });
    this.#connection?.cut();
  }

  use(connection: Connection): boolean {
    if (this.#isEnded || this.#isOver()) return false;
    this.#times.connectingAtMs = this.parts.monotonic.elapsedMs();
    this.#connection = connection;
    this.#exchange = new Exchange(this, this.time.needs === 'status');
    connection.dispatch(this.request, this.#exchange);
    return true;
  }

  maySend(): boolean {
    if (this.#isEnded || this.#isOver()) return false;
    this.#times.sentAtMs = this.parts.monotonic.elapsedMs();
    return true;
  }

  answering(status: number): void {
    if (this.time.needs !== 'status' || this.#isEnded) return;
    this.#end({ kind: 'answered', status });
    this.#deadline = this.parts.scheduler.after(REST_MS_MAX, () => this.#connection?.cut());
  }

  exchanged(end: Parameters<ExchangeOwner['exchanged']>[0]): void {
    const connection = this.#connection;
    this.#connection = undefined;
    this.#deadline?.cancel();
    // After the HTTP client has come to the end of what it does, since a request that it is handed meanwhile breaks its own book; and before the caller
    // knows, who may send the next one at once.
    if (connection !== undefined) queueMicrotask(() => this.parts.connections.release(connection));
    if ('status' in end) this.#end({ kind: 'answered', status: end.status });
    else this.#end({ kind: 'failed', isSent: this.#exchange?.isSent === true, why: end.error });
  }

  readonly #onAbort = (): void => this.cut('aborted');

  /** A process that stood still comes here before its timers do. */
  #isOver(): boolean {
    const { signal, withinMs } = this.time;
    const isLate = this.parts.monotonic.elapsedMs() - this.#times.begunAtMs >= withinMs;
    if (isLate) this.cut('timeout');
    else if (signal?.aborted === true) this.cut('aborted');
    return this.#isEnded;
  }

  #end(outcome: CallOutcome): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#deadline?.cancel();
    this.time.signal?.removeEventListener('abort', this.#onAbort);
    this.parts.connections.withdraw(this);
    const { headers = {}, body } = this.#exchange ?? {};
    this.ended({ outcome, headers, body, times: this.#times, endedAtMs: this.parts.monotonic.elapsedMs() });
  }
}

/**
 * The way out of every call of the service, over HTTP/1.1. It sends a request once at most, follows no redirect, repeats nothing and never rejects: every
 * failure is a returned value, and says that nothing was sent only where no byte left.
 *
 * Connections are kept, so that a peer which answers one request twice may have its second answer taken for that to the next request.
 */
export class GuardedClient {
  /** Ordered by use, the most recent last. */
  readonly #byOrigin = new Map<string, Connections>();
  readonly #calls = new Set<Call>();
  #closed: Promise<void> | undefined;
  #lastEnded: (() => void) | undefined;

  constructor(private readonly options: ClientOptions) {}

  /** Resolves when the request was answered, or its time is over, whichever is first. */
  send(origin: string, request: WrittenRequest, time: CallTime): Promise<CallEnd> {
    const { monotonic, scheduler } = this.options;
    const connections = this.#closed === undefined ? this.#connectionsTo(origin) : undefined;
    if (connections === undefined) {
      const begunAtMs = monotonic.elapsedMs();
      const why = this.#closed === undefined ? 'busy' : 'closed';
      const outcome = { kind: 'failed', isSent: false, why } as const;
      return Promise.resolve({ outcome, headers: {}, body: undefined, times: { begunAtMs }, endedAtMs: begunAtMs });
    }
    return new Promise((resolve) => {
      const call = new Call({ connections, monotonic, scheduler }, request, time, (end) => {
        this.#calls.delete(call);
        resolve(end);
        if (this.#calls.size === 0) this.#lastEnded?.();
      });
      this.#calls.add(call);
      call.begin();
    });
  }

  /**
   * Accepts no more calls; those under way have until `withinMs` have passed, or until each one's time is over. Resolves when all have ended and every
   * socket is closed. A second call waits for the first.
   */
  close(withinMs?: number): Promise<void> {
    this.#closed ??= this.#close(withinMs);
    return this.#closed;
  }

  async #close(withinMs: number | undefined): Promise<void> {
    if (this.#calls.size > 0) {
      await new Promise<void>((resolve) => {
        const cutAll = (): void => [...this.#calls].forEach((call) => call.cut('closed'));
        const timer = withinMs === undefined ? undefined : this.options.scheduler.after(withinMs, cutAll);
        this.#lastEnded = () => {
          timer?.cancel();
          resolve();
        };
      });
    }
    await Promise.all([...this.#byOrigin.values()].map((connections) => connections.destroy()));
  }

  /** Undefined where as much is in use as may be. */
  #connectionsTo(origin: string): Connections | undefined {
    const { inUseMax } = this.options;
    if (inUseMax !== undefined && this.#inUse() >= inUseMax) return undefined;
    const found = this.#byOrigin.get(origin);
    if (found === undefined && !this.#hasRoom()) return undefined;
    const connections = found ?? new Connections(() => new Connection(origin, this.options), this.options);
    this.#byOrigin.delete(origin);
    this.#byOrigin.set(origin, connections);
    return connections;
  }

  #inUse(): number {
    return [...this.#byOrigin.values()].reduce((sum, { inUse }) => sum + inUse, 0);
  }

  #hasRoom(): boolean {
    if (this.#byOrigin.size < ORIGINS_MAX) return true;
    for (const [origin, connections] of this.#byOrigin) {
      if (connections.inUse > 0) continue;
      this.#byOrigin.delete(origin);
      void connections.destroy();
      return true;
    }
    return false;
  }
}
