import { createHmac, randomBytes } from 'node:crypto';
import type { CallEnd } from '@app/http/client';
import { isLuhnValid, Secret, type GateAlias } from '@app/kernel';
import type { EncodedRequest, GateReply } from './request';

/** What may be kept of one call: nothing that was sent or answered, but its size, its digest and the names of its parts. */
export interface TranscriptEntry {
  readonly gate: GateAlias;
  readonly method: string;
  /** Without the query; a run of digits that may be a card number is left out. Empty where the request was malformed. */
  readonly path: string;
  readonly queryNames: readonly string[];
  readonly headerNames: readonly string[];
  readonly outcome: { readonly kind: 'answered'; readonly status: number } | Exclude<GateReply, { kind: 'answered' }>;
  /** Until there was a connection to use. */
  readonly waitedMs: number;
  /** From then until the request was written; absent where it was not. */
  readonly connectingMs?: number;
  readonly tookMs: number;
  /** Of the bodies. */
  readonly requestBytes: number;
  readonly answerBytes: number;
  /** HMAC-SHA-256 in hex: a bare digest of a short body would give away the card number in it. Absent where nothing was sent. */
  readonly requestDigest?: string;
  /** Absent where no whole answer came. */
  readonly answerDigest?: string;
  /** Of the answer; one that is not of letters and dashes, or that is beyond the limit, is left out. */
  readonly answerHeaderNames: readonly string[];
}

/** A call that has ended. */
interface EndedCall {
  readonly method: string;
  /** Undefined where it cannot be written as HTTP. */
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

/** Makes the entries of one gate. */
export class Transcript {
  readonly #key: Secret<Uint8Array>;

  constructor(
    private readonly gate: GateAlias,
    private readonly record: (entry: TranscriptEntry) => void,
    key: Secret<Uint8Array> = new Secret(randomBytes(32)),
  ) {
    this.#key = key;
  }

  /** Never throws: the call has ended as it has, whether it is recorded or not. */
  add(call: EndedCall): void {
    try {
      this.record(this.#entry(call));
    } catch {
      // Whoever records has its own alarms.
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
