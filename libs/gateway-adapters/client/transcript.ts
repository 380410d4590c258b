import { createHmac, randomBytes } from 'node:crypto';
import { isLuhnValid, Secret, type GateAlias } from '@app/kernel';
import type { GateReply } from './reply';
import type { EncodedRequest } from './request';

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

/** When the stages of a call were reached, by the monotonic clock. */
export interface CallTimes {
  readonly begunAtMs: number;
  connectingAtMs?: number;
  sentAtMs?: number;
}

/** What came of a call. */
export interface CallEnd {
  readonly reply: GateReply;
  readonly times: CallTimes;
  readonly endedAtMs: number;
  readonly answer: { readonly bytes: Uint8Array; readonly headerNames: readonly string[] };
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
  add(method: string, request: EncodedRequest | undefined, end: CallEnd): void {
    try {
      this.record(this.#entry(method, request, end));
    } catch {
      // Whoever records has its own alarms.
    }
  }

  #entry(method: string, request: EncodedRequest | undefined, { reply, times, endedAtMs, answer }: CallEnd): TranscriptEntry {
    const { begunAtMs, connectingAtMs, sentAtMs } = times;
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
      answerBytes: answer.bytes.byteLength,
      ...(sentAtMs !== undefined && { requestDigest: this.#digest(request?.body) }),
      ...(reply.kind === 'answered' && { answerDigest: this.#digest(answer.bytes) }),
      answerHeaderNames: answer.headerNames.filter((name) => SHOWN_NAME.test(name)).slice(0, SHOWN_NAMES_MAX),
    };
  }

  #digest(content: Uint8Array | string = ''): string {
    return createHmac('sha256', this.#key.reveal()).update(content).digest('hex');
  }
}
