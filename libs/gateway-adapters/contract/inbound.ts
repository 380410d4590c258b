import type { AttemptKey, Instant, Money } from '@app/kernel';
import type { InquiryAnswer } from './answers';
import type { SentFollowUp, SentRequest } from './requests';

/**
 * An unauthenticated request to the gate's address, `{pathPrefix}/gates/<alias>/...`: trust nothing before the adapter
 * has verified it.
 * Oversized requests and repeated query parameters are rejected before they reach an adapter.
 */
export interface InboundRequest {
  readonly method: 'GET' | 'POST';
  /** The key in a `notificationUrl`. It does not prove the sender, although only the gate received that address. */
  readonly about?: AttemptKey;
  readonly path: readonly string[];
  readonly query: ReadonlyMap<string, string>;
  /** Raw and without the question mark, for checking a signature. */
  readonly rawQuery: string;
  readonly headers: ReadonlyMap<string, string>;
  /** The media type in lower case, without parameters; empty if absent. */
  readonly contentType: string;
  /** The unchanged text, for checking a signature; empty for GET. Bodies that are not UTF-8 never reach an adapter. */
  readonly body: string;
}

/** Reply in the gate's format. Headers against caching and content sniffing are added. */
export interface InboundReply {
  /** 200 to 599. */
  readonly status: number;
  readonly contentType?: string;
  readonly body?: string;
}

export interface OutcomeReport {
  readonly kind: 'outcome';
  /** Taken from the authenticated content, not from the address. */
  readonly key: AttemptKey;
  /**
   * Checks the outcome against the recorded request; a different sum is `unrecognised`. If undecided, an inquiry
   * follows.
   * Pure. May be called again, up to 10 minutes later if the key is not yet recorded.
   */
  answerTo(sent: SentRequest | SentFollowUp): InquiryAnswer;
  /**
   * True if an inquiry returns more than this report. The gate is then asked first, for at most 5 seconds; without a
   * definite answer this report is recorded.
   */
  readonly isSummary?: boolean;
}

/** Only schedules a rate-limited inquiry of the order. For requests that are not authenticated or lack the outcome. */
interface UnverifiedNotification {
  readonly kind: 'hint';
  readonly key: AttemptKey;
}

interface DisputeCase {
  /** The gate's id of the case, the same in all its reports: 1 to 64 printable characters without blanks. */
  readonly reportId: string;
  /** The card scheme's code: at most 16 letters, digits, dots, dashes, slashes and underscores. */
  readonly reasonCode?: string;
  /** By the gate's clock. */
  readonly happenedAt?: Instant;
}

/** A change to an approved order's money that we did not request; amounts are above zero. */
export type DisputeChange =
  | (DisputeCase & { readonly kind: 'reversal'; readonly amount: Money })
  /** Default: first. */
  | (DisputeCase & { readonly kind: 'chargeback'; readonly amount: Money; readonly stage?: 'first' | 'second' | 'arbitration' })
  | (DisputeCase & {
      readonly kind: 'representment';
      readonly outcome: 'won' | 'lost';
      /** Default: the latest reported stage. */
      readonly stage?: 'first' | 'second' | 'arbitration';
    })
  | (DisputeCase & { readonly kind: 'fraud-warning'; readonly amount?: Money });

/**
 * Reported after the order's end. The adapter must have authenticated all of it, also the sum: there is no sent request
 * to compare it with.
 */
export interface DisputeReported {
  readonly kind: 'dispute';
  readonly key: AttemptKey;
  readonly news: DisputeChange;
}

export type GateReport = OutcomeReport | DisputeReported | UnverifiedNotification;

export interface InboundResult {
  /**
   * Sent after every report is recorded or kept. If the log is unavailable, the reply is 503 so that the gate sends it
   * again.
   */
  readonly reply: InboundReply;
  /** Applied in order; empty for irrelevant or forged requests. */
  readonly reports: readonly GateReport[];
}

export interface CanListen {
  /**
   * Authenticates and reads one inbound request. No side effects, no calls, time linear in the request.
   * May be called in any process, repeatedly and in any order. If it throws, the request is answered as failed and
   * nothing is reported.
   */
  listen(request: InboundRequest): Promise<InboundResult>;
}
