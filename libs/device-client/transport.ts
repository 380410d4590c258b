import type { Scheduler } from '@app/kernel';
import { Agent, request } from 'undici';
import type { MalformedAnswer, NoAnswer } from './outcome';

/** Reading stops at this size; the interface's largest answer is a few KiB. */
export const ANSWER_BYTES_MAX = 262_144;
const CONNECTIONS_MAX = 4;
const HEADER_BYTES_MAX = 16_384;
const CONNECT_TIMEOUT_MS = 10_000;
const CODE = /^[A-Z0-9_]{1,64}$/;
/** Nothing was sent. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

export interface Call {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly body?: string;
}

interface ReceivedAnswer {
  readonly kind: 'received';
  readonly httpStatus: number;
  readonly body: Uint8Array;
}

export type Received = ReceivedAnswer | MalformedAnswer | NoAnswer;

/** Reads only the code: an error's text may contain the request. */
const lost = (error: unknown): NoAnswer => {
  const { code } = error as { readonly code?: unknown };
  const known = typeof code === 'string' && CODE.test(code) ? code : undefined;
  const reason = known !== undefined && UNREACHABLE.has(known) ? 'unreachable' : 'connection-lost';
  return { kind: 'no-answer', reason, ...(known !== undefined && { code: known }) };
};

/** Sends one call. Follows no redirect, repeats nothing and never rejects: every failure is returned. */
export interface Transport {
  send(call: Call): Promise<Received>;
  /** Refuses new calls; resolves when the running ones have ended. */
  close(): Promise<void>;
}

export class HttpTransport implements Transport {
  readonly #agent = new Agent({
    connections: CONNECTIONS_MAX,
    pipelining: 1,
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });

  constructor(
    private readonly scheduler: Scheduler,
    /** From the first sent byte to the last received one. */
    private readonly timeoutMs: number,
  ) {}

  send(call: Call): Promise<Received> {
    return new Promise((resolve) => {
      const abort = new AbortController();
      // Resolves at once: aborting a connection in progress takes longer.
      const deadline = this.scheduler.after(this.timeoutMs, () => {
        resolve({ kind: 'no-answer', reason: 'timed-out' });
        abort.abort();
      });
      void this.#received(call, abort.signal).then((received) => {
        deadline.cancel();
        resolve(received);
      });
    });
  }

  close(): Promise<void> {
    return this.#agent.close();
  }

  async #received({ method, url, body }: Call, signal: AbortSignal): Promise<Received> {
    try {
      const answer = await request(url, {
        dispatcher: this.#agent,
        method,
        headers: {
          accept: 'application/json',
          'accept-encoding': 'identity',
          ...(body !== undefined && { 'content-type': 'application/json;charset=utf-8' }),
        },
        body: body ?? null,
        signal,
      });
      const chunks: Uint8Array[] = [];
      let bytes = 0;
      for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
        bytes += chunk.length;
        if (bytes > ANSWER_BYTES_MAX)
          return { kind: 'malformed', httpStatus: answer.statusCode, fault: `body is larger than ${ANSWER_BYTES_MAX} bytes` };
        chunks.push(chunk);
      }
      return { kind: 'received', httpStatus: answer.statusCode, body: Buffer.concat(chunks) };
    } catch (error) {
      return lost(error);
    }
  }
}
