import type { CallLimit } from '../contract';
import { Connection } from './connection';
import { Connections } from './connections';
import { GateCall } from './gate-call';
import { ANSWER_BYTES_MAX, gateAddress, type GateClientOptions } from './options';
import type { GateReply } from './reply';
import { encodeRequest, type EncodedRequest, type GateRequest } from './request';
import { Transcript, type CallEnd } from './transcript';

const NO_ANSWER = { bytes: new Uint8Array(), headerNames: [] };

/**
 * The way of an adapter to its gate, over HTTP/1.1. It sends a request once at most, follows no redirect, repeats nothing and never rejects: every failure
 * is a returned value, and says `not-sent` only where no byte left.
 *
 * An answer must say how long it is: by its length, or in chunks. Connections are kept, so that a gate which answers one request twice may have its
 * second answer taken for that to the next request: an adapter sees to it that an answer names what it asked.
 */
export class GateClient {
  readonly #pathPrefix: string;
  readonly #connections: Connections;
  readonly #transcript: Transcript | undefined;
  readonly #calls = new Set<GateCall>();
  #closed: Promise<void> | undefined;
  #lastEnded: (() => void) | undefined;

  /** Opens no connection. @throws Error for a base URL that is none */
  constructor(private readonly options: GateClientOptions) {
    const { origin, pathPrefix } = gateAddress(options.baseUrl);
    const { answerBytesMax = ANSWER_BYTES_MAX, onTranscript } = options;
    this.#pathPrefix = pathPrefix;
    this.#connections = new Connections(() => new Connection(origin, answerBytesMax, options), options);
    this.#transcript = onTranscript && new Transcript(options.gate, onTranscript, options.digestKey);
  }

  /** Resolves when the request was answered, or its time is over, whichever is first. */
  send(request: GateRequest, limit: CallLimit): Promise<GateReply> {
    const encoded = encodeRequest(request, this.#pathPrefix, limit.trace);
    if (encoded === undefined || this.#closed !== undefined) {
      const cause = encoded === undefined ? 'malformed-request' : 'closed';
      return Promise.resolve(this.#ended(request, encoded, this.#notBegun({ kind: 'not-sent', cause })));
    }
    return new Promise((resolve) => {
      const { monotonic, scheduler } = this.options;
      const parts = { connections: this.#connections, monotonic, scheduler };
      const call = new GateCall(parts, encoded, limit, (end) => {
        this.#calls.delete(call);
        resolve(this.#ended(request, encoded, end));
        if (this.#calls.size === 0) this.#lastEnded?.();
      });
      this.#calls.add(call);
      call.begin();
    });
  }

  /**
   * Accepts no more calls; those under way have until `withinMs` have passed. Resolves when all have ended and every socket is closed. A second call
   * waits for the first.
   */
  close(withinMs: number): Promise<void> {
    this.#closed ??= this.#close(withinMs);
    return this.#closed;
  }

  async #close(withinMs: number): Promise<void> {
    if (this.#calls.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = this.options.scheduler.after(withinMs, () => {
          for (const call of [...this.#calls]) call.cut('closed');
        });
        this.#lastEnded = () => {
          timer.cancel();
          resolve();
        };
      });
    }
    await this.#connections.destroy();
  }

  #ended(request: GateRequest, encoded: EncodedRequest | undefined, end: CallEnd): GateReply {
    this.#transcript?.add(request.method, encoded, end);
    return end.reply;
  }

  #notBegun(reply: GateReply): CallEnd {
    const begunAtMs = this.options.monotonic.elapsedMs();
    return { reply, times: { begunAtMs }, endedAtMs: begunAtMs, answer: NO_ANSWER };
  }
}
