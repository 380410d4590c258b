import type { Monotonic, Scheduled, Scheduler } from '@app/kernel';
import type { CallLimit } from '../contract';
import type { Connection } from './connection';
import type { Connections, ConnectionUser } from './connections';
import { Exchange, type ExchangeOwner } from './exchange';
import type { GateReply, NotSentCause } from './reply';
import type { EncodedRequest } from './request';
import type { CallEnd, CallTimes } from './transcript';

/** What every call of a client uses. */
export interface CallParts {
  readonly connections: Connections;
  readonly monotonic: Monotonic;
  readonly scheduler: Scheduler;
}

type CutCause = Extract<NotSentCause, 'timeout' | 'aborted' | 'closed'>;

/**
 * One request on its way: it waits for a connection, is written once at most, and is answered or not. It ends once, at its deadline at the latest; its
 * connection is held until the HTTP client is done with it, which may be later.
 */
export class GateCall implements ConnectionUser, ExchangeOwner {
  readonly #times: CallTimes;
  #connection: Connection | undefined;
  #exchange: Exchange | undefined;
  #deadline: Scheduled | undefined;
  #isEnded = false;

  /** @param ended called once */
  constructor(
    private readonly parts: CallParts,
    private readonly request: EncodedRequest,
    private readonly limit: CallLimit,
    private readonly ended: (end: CallEnd) => void,
  ) {
    this.#times = { begunAtMs: parts.monotonic.elapsedMs() };
  }

  begin(): void {
    const { signal, withinMs } = this.limit;
    if (this.#isOver()) return;
    if (!this.parts.connections.request(this)) this.#end({ kind: 'not-sent', cause: 'busy' });
    if (this.#isEnded) return;
    this.#deadline = this.parts.scheduler.after(withinMs, () => this.cut('timeout'));
    signal.addEventListener('abort', this.#onAbort);
  }

  /** Ends the call now: as not sent where no byte was written, and none is from here on. */
  cut(cause: CutCause): void {
    if (this.#isEnded) return;
    const lost = { kind: 'lost', cause: cause === 'closed' ? 'connection-lost' : 'timeout' } as const;
    this.#end(this.#exchange?.isSent === true ? lost : { kind: 'not-sent', cause });
    this.#connection?.cut();
  }

  use(connection: Connection): boolean {
    if (this.#isEnded || this.#isOver()) return false;
    this.#times.connectingAtMs = this.parts.monotonic.elapsedMs();
    this.#connection = connection;
    this.#exchange = new Exchange(this);
    connection.dispatch(this.request, this.#exchange);
    return true;
  }

  maySend(): boolean {
    if (this.#isEnded || this.#isOver()) return false;
    this.#times.sentAtMs = this.parts.monotonic.elapsedMs();
    return true;
  }

  exchanged(reply: GateReply): void {
    const connection = this.#connection;
    this.#connection = undefined;
    // After the HTTP client has come to the end of what it does, since a request that it is handed meanwhile breaks its own book; and before the caller
    // knows, who may send the next one at once.
    if (connection !== undefined) queueMicrotask(() => this.parts.connections.release(connection));
    this.#end(reply);
  }

  readonly #onAbort = (): void => this.cut('aborted');

  /** A process that stood still comes here before its timers do. */
  #isOver(): boolean {
    const { signal, withinMs } = this.limit;
    const isLate = this.parts.monotonic.elapsedMs() - this.#times.begunAtMs >= withinMs;
    if (isLate) this.cut('timeout');
    else if (signal.aborted) this.cut('aborted');
    return this.#isEnded;
  }

  #end(reply: GateReply): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#deadline?.cancel();
    this.limit.signal.removeEventListener('abort', this.#onAbort);
    this.parts.connections.withdraw(this);
    const answer = { bytes: this.#exchange?.body.bytes() ?? new Uint8Array(), headerNames: this.#exchange?.headerNames ?? [] };
    this.ended({ reply, times: this.#times, endedAtMs: this.parts.monotonic.elapsedMs(), answer });
  }
}
