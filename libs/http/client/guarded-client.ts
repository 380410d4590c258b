import type { Monotonic, Scheduled, Scheduler } from '@app/kernel';
import { Connection, type ConnectionOptions, type WrittenRequest } from './connection';
import { Connections, type ConnectionUser } from './connections';
import { Exchange, type AnswerBody, type AnswerHeaders, type ExchangeOwner } from './exchange';

/** Origins with kept sockets; the least recently used is dropped. */
const ORIGINS_MAX = 1_024;
/** How long the rest of an answer is read after its status was enough, so that the socket can be reused. */
const REST_MS_MAX = 1_000;

export interface ClientOptions extends ConnectionOptions {
  /** Per origin: a hanging origin uses up only its share (safety, B18). */
  readonly connectionsMax: number;
  readonly waitingMax: number;
  readonly inUseMax?: number | undefined;
}

export interface CallTime {
  /** From the start of the call to the last byte of the answer. */
  readonly withinMs: number;
  readonly signal?: AbortSignal | undefined;
  /** The outcome has only the status, even if the rest of the answer fails. */
  readonly needs?: 'status' | undefined;
}

interface CallTimes {
  readonly begunAtMs: number;
  connectingAtMs?: number;
  sentAtMs?: number;
}

type Cut = 'timeout' | 'aborted' | 'closed';

/** Money depends on `isSent`: `false` guarantees that no byte was written or will be. */
type CallOutcome =
  /** 200 or more. Redirects are returned, not followed. */
  | { readonly kind: 'answered'; readonly status: number }
  /** `busy`: no free connection and a full queue. An error comes from the HTTP client or from connecting. */
  | { readonly kind: 'failed'; readonly isSent: boolean; readonly why: Cut | 'busy' | Error };

export interface CallEnd {
  readonly outcome: CallOutcome;
  readonly headers: AnswerHeaders;
  readonly body: AnswerBody | undefined;
  readonly times: CallTimes;
  readonly endedAtMs: number;
}

/**
 * One request: it waits for a connection, is written at most once, and ends once, at the latest at its deadline.
 * Its connection is held until the HTTP client is done, which may be later.
 */
class Call implements ConnectionUser, ExchangeOwner {
  readonly #times: CallTimes;
  #connection: Connection | undefined;
  #exchange: Exchange | undefined;
  #deadline: Scheduled | undefined;
  #isEnded = false;

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

  /** Ends the call now. If no byte was written, none will be: the call counts as not sent. */
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
    // Releases after the HTTP client's callback, because a new request inside it corrupts its queue. Must precede the caller, which may
    // send the next request at once.
    if (connection !== undefined) queueMicrotask(() => this.parts.connections.release(connection));
    if ('status' in end) this.#end({ kind: 'answered', status: end.status });
    else this.#end({ kind: 'failed', isSent: this.#exchange?.isSent === true, why: end.error });
  }

  readonly #onAbort = (): void => this.cut('aborted');

  /** After a process freeze this runs before the timers. */
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
 * All outgoing calls, over HTTP/1.1. Sends at most once, follows no redirect, never rejects; reports "not sent" only if no byte left.
 * Connections are reused: if a peer answers twice, its second answer may be taken for the next request's.
 */
export class GuardedClient {
  readonly #byOrigin = new Map<string, Connections>();
  readonly #calls = new Set<Call>();
  #closed: Promise<void> | undefined;
  #lastEnded: (() => void) | undefined;

  constructor(private readonly options: ClientOptions) {}

  /** Resolves with the answer or at the time limit, whichever comes first. */
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
   * Refuses new calls and gives running ones `withinMs`, or their limits. Resolves when all sockets are closed; a second call waits for the
   * first.
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
