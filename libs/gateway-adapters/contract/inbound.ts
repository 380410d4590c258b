import type { AttemptKey, Instant, Money } from '@app/kernel';
import type { InquiryAnswer } from './answers';
import type { SentFollowUp, SentRequest } from './requests';

/**
 * What somebody sent to the gate's own address, `{pathPrefix}/gates/<alias>/...`. Anybody can send it: nothing of it is true before the adapter has
 * authenticated it. It is of bounded size, and no parameter of its query comes twice; what is otherwise never reaches an adapter.
 */
export interface InboundRequest {
  readonly method: 'GET' | 'POST';
  /** The key that the address names, where it is a `notificationUrl`. No proof of who sent it, though only the gate was told the address. */
  readonly about?: AttemptKey;
  /** The decoded segments below the gate's own address, or below the `notificationUrl` where it is one; empty at the address itself. */
  readonly path: readonly string[];
  readonly query: ReadonlyMap<string, string>;
  /** As it came, without the question mark, for a signature over it. */
  readonly rawQuery: string;
  /** By names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** The media type in lower case, without its parameters; empty where none is named. */
  readonly contentType: string;
  /** The very text that came, so that a signature over it can be checked; empty for GET. Other than UTF-8 never reaches an adapter. */
  readonly body: string;
}

/** What the gate is answered, as it expects it; headers that keep caches and guesses of content away are added. */
export interface InboundReply {
  /** 200 to 599. */
  readonly status: number;
  readonly contentType?: string;
  readonly body?: string;
}

/** What the gate said of the outcome of a request, and the adapter has authenticated: recorded as the answer to an inquiry is. */
export interface OutcomeReport {
  readonly kind: 'outcome';
  /** Of the attempt or follow-up that it is about, in the gate's own words and not by the address. */
  readonly key: AttemptKey;
  /**
   * The outcome, read against what the log says was sent under the key: about another sum it is not recognised. Pure; may be called again, and up to 10
   * minutes later where the log does not know the key yet. An answer that decides nothing leads to an inquiry.
   */
  answerTo(sent: SentRequest | SentFollowUp): InquiryAnswer;
  /**
   * True where an inquiry tells more of the outcome than this report. The gate is then asked before anything is recorded, for 5 seconds at most; if it
   * gives no definite answer in that time, the outcome of the report is recorded.
   */
  readonly isSummary?: boolean;
}

/**
 * Something may be new about this key: its order is inquired soon, within a limit of rate, and nothing else happens. For whatever is not authenticated,
 * and for what tells too little.
 */
interface Hint {
  readonly kind: 'hint';
  readonly key: AttemptKey;
}

interface DisputeCase {
  /** The gate's own id of the case, 1 to 64 printable characters without blanks; the same in all that it tells of the case. */
  readonly reportId: string;
  /** The card scheme's code, where the gate tells it: at most 16 letters, digits, dots, dashes, slashes and underscores. */
  readonly reasonCode?: string;
  /** By the gate's clock. */
  readonly happenedAt?: Instant;
}

/** What became of an approved order's money without a request of ours; amounts are above zero. */
export type DisputeNews =
  | (DisputeCase & { readonly kind: 'reversal'; readonly amount: Money })
  /** Without a stage it is the first. */
  | (DisputeCase & { readonly kind: 'chargeback'; readonly amount: Money; readonly stage?: 'first' | 'second' | 'arbitration' })
  | (DisputeCase & {
      readonly kind: 'representment';
      readonly outcome: 'won' | 'lost';
      /** Without a stage it is about the latest that was told. */
      readonly stage?: 'first' | 'second' | 'arbitration';
    })
  | (DisputeCase & { readonly kind: 'fraud-warning'; readonly amount?: Money });

/**
 * What the gate tells of an order after its end. Only where the adapter has authenticated all of it, the sum too: nothing that was sent can be held
 * against it.
 */
export interface DisputeReported {
  readonly kind: 'dispute';
  /** Of the attempt that it is about, in the gate's own words and not by the address. */
  readonly key: AttemptKey;
  readonly news: DisputeNews;
}

/** What a gate tells by itself. A kind that is added gets its case wherever reports are applied. */
export type GateReport = OutcomeReport | DisputeReported | Hint;

/** What came of one inbound request. */
export interface Heard {
  /** Sent once every report is recorded or kept; where the log is away it is 503 instead, so that the gate says it again. */
  readonly reply: InboundReply;
  /** Applied in their order; empty for what is of no interest here, and for what is forged. */
  readonly reports: readonly GateReport[];
}

export interface CanListen {
  /**
   * Authenticates and reads a request that came to the gate's address. Changes nothing, and asks nobody; may be called in any process, for the same
   * request again, and in any order. Takes time linear in the request. A call that throws is answered as one that failed, and reports nothing.
   */
  listen(request: InboundRequest): Promise<Heard>;
}
