import { createHmac, randomBytes } from 'node:crypto';
import type { CallEnd } from '@app/http/client';
import { isLuhnValid, Secret, type GateAlias } from '@app/kernel';
import type { EncodedRequest, GateReply } from './request';

/** Record of one call without its content: only sizes, digests and names of its parts. */
export interface TranscriptEntry {
  readonly gate: GateAlias;
  readonly method: string;
  /** Without the query and without digits that may be a card number. Empty for a malformed request. */
  readonly path: string;
  readonly queryNames: readonly string[];
  readonly headerNames: readonly string[];
  readonly outcome: { readonly kind: 'answered'; readonly status: number } | Exclude<GateReply, { kind: 'answered' }>;
  /** Until a connection was available. */
  readonly waitedMs: number;
  /** From the connection until the request was written; absent if it was not written. */
  readonly connectingMs?: number;
  readonly tookMs: number;
  /** Sizes of the bodies. */
  readonly requestBytes: number;
  readonly answerBytes: number;
  /** HMAC-SHA-256 in hex: a plain digest of a short body would reveal its card number. Absent if nothing was sent. */
  readonly requestDigest?: string;
  /** Absent without a complete answer. */
  readonly answerDigest?: string;
  /** Omits names with characters other than letters and dashes, and names beyond the limit. */
  readonly answerHeaderNames: readonly string[];
}

interface EndedCall {
  readonly method: string;
  /** Undefined if it cannot be written as HTTP. */
  readonly request: EncodedRequest | undefined;
  readonly reply: GateReply;
  readonly end: Omit<CallEnd, 'outcome'>;
}

const DIGITS = /\d+/g;
const CARD_DIGITS_MIN = 9;
const LEFT_OUT = '[digits]';
const SHOWN_NAME = /^[a-z-]{1,40}$/;
const SHOWN_NAMES_MAX = 64;

const shownPath = (path: string): string =>
  path.replace(DIGITS, (run) => (run.length >= CARD_DIGITS_MIN && isLuhnValid(run) ? LEFT_OUT : run));

export class Transcript {
  readonly #key: Secret<Uint8Array>;

  constructor(
    private readonly gate: GateAlias,
    private readonly record: (entry: TranscriptEntry) => void,
    key: Secret<Uint8Array> = new Secret(randomBytes(32)),
  ) {
    this.#key = key;
  }

  /** Never throws: a failed recording must not change the call's result. */
  add(call: EndedCall): void {
    try {
      this.record(this.#entry(call));
    } catch {
      // The recorder raises its own alarms.
    }
  }

  #entry({ method, request, reply, end: { times, endedAtMs, headers, body } }: EndedCall): TranscriptEntry {
    const { begunAtMs, connectingAtMs, sentAtMs } = times;
    const answered = body?.bytes() ?? new Uint8Array();
    return {
      gate: this.gate,
      method,
      path: shownPath(request?.path ?? ''),
      queryNames: [...new URLSearchParams(request?.query).keys()],
      headerNames: request?.headers.filter((_, index) => index % 2 === 0) ?? [],
      outcome: reply.kind === 'answered' ? { kind: 'answered', status: reply.status } : reply,
      waitedMs: (connectingAtMs ?? endedAtMs) - begunAtMs,
      ...(connectingAtMs !== undefined && sentAtMs !== undefined && { connectingMs: sentAtMs - connectingAtMs }),
      tookMs: endedAtMs - begunAtMs,
      requestBytes: Buffer.byteLength(request?.body ?? ''),
      answerBytes: answered.byteLength,
      ...(sentAtMs !== undefined && { requestDigest: this.#digest(request?.body) }),
      ...(reply.kind === 'answered' && { answerDigest: this.#digest(answered) }),
      answerHeaderNames: Object.keys(headers)
        .filter((name) => SHOWN_NAME.test(name))
        .slice(0, SHOWN_NAMES_MAX),
    };
  }

  #digest(content: Uint8Array | string = ''): string {
    return createHmac('sha256', this.#key.reveal()).update(content).digest('hex');
  }
}
