import type { AttemptKey, Brand, GateAlias, Instant, Money, Sealed } from '@app/kernel';
import type { ChargedBy } from './accepted-order';

/** Keyed digest, hex, of a random sum and its card: the sum itself is stored nowhere (safety, T36). */
export type RandomSumDigest = Brand<string, 'RandomSumDigest'>;

export interface Loyalty {
  readonly balance?: string;
  readonly message?: string;
  readonly bonus?: string;
  readonly program?: string;
}

export interface Receipt {
  readonly transactionId: string;
  readonly processedAt: Instant;
  readonly rrn?: string;
  readonly terminalId?: string;
  readonly payerAuthentication?: 'AUTHENTICATED' | 'NOT_AUTHENTICATED' | 'UNSUPPORTED' | 'UNKNOWN';
  readonly eci?: string;
  /** The gate's id of the order, which follow-ups and later charges must use. */
  readonly gateOrderId?: string;
  readonly cardToken?: string;
  /** The scheme's id of the payment, by which any gate proves that a later charge belongs to it. */
  readonly networkTransactionId?: string;
  readonly loyalty?: Loyalty;
  readonly commission?: Money;
  /** The sum that an approved verification withdrew and refunded (protocol decisions, section 7). */
  readonly randomSum?: RandomSumDigest;
}

export interface IssuerFacts {
  readonly cardType?: string;
  readonly country?: string;
  readonly bank?: string;
  readonly productCode?: string;
  readonly productName?: string;
  readonly typeCode?: string;
  readonly typeName?: string;
}

/**
 * Durable before the gate is called. By exact revision it is also the calling process's claim; a second event of the same key renews it before
 * anything has left.
 */
export type AttemptStarted = {
  readonly type: 'AttemptStarted';
  readonly data: {
    readonly attemptKey: AttemptKey;
    readonly number: number;
    readonly gate: GateAlias;
    readonly amount: Money;
    /** What is sent in place of the card; absent if the card itself is sent. */
    readonly chargedBy?: ChargedBy;
    readonly issuer?: IssuerFacts;
    readonly startedAt: Instant;
  };
};

export type AttemptApproved = {
  readonly type: 'AttemptApproved';
  readonly data: {
    readonly attemptKey: AttemptKey;
    readonly receipt: Receipt;
    readonly approvalCode: string;
    readonly answeredAt: Instant;
  };
};

/** A definite decline: the issuer's, or ours for a payer who never came back (then without a receipt). */
export type AttemptDeclined = {
  readonly type: 'AttemptDeclined';
  readonly data: {
    readonly attemptKey: AttemptKey;
    readonly code: number;
    readonly by: 'gate' | 'payer-absent';
    readonly receipt?: Receipt;
    readonly advice?: string;
    readonly answeredAt: Instant;
  };
};

export type AttemptTaken = {
  readonly type: 'AttemptTaken';
  readonly data: {
    readonly attemptKey: AttemptKey;
    readonly gateOrderId?: string;
    /** Gate data that each inquiry must include, sealed. */
    readonly session?: Sealed;
    readonly takenAt: Instant;
  };
};

export const UNKNOWN_CAUSES = ['timeout', 'connection-lost', 'unrecognised-answer', 'gate-undecided', 'adapter-failed'] as const;
export type UnknownCause = (typeof UNKNOWN_CAUSES)[number];

/** Money may have moved; only the gate or an operator can decide. */
export type AttemptUnknown = {
  readonly type: 'AttemptUnknown';
  readonly data: {
    readonly attemptKey: AttemptKey;
    readonly cause: UnknownCause;
    readonly answeredAt: Instant;
    /** The call itself has ended, so nothing more can leave under it. */
    readonly isCallOver?: boolean;
  };
};

export const NOT_ASKED_CAUSES = ['unavailable', 'refused-by-gate', 'never-heard-of'] as const;
export type NotAskedCause = (typeof NOT_ASKED_CAUSES)[number];

/** Certain: this attempt charged nothing and will charge nothing. */
export type AttemptNotAsked = {
  readonly type: 'AttemptNotAsked';
  readonly data: { readonly attemptKey: AttemptKey; readonly cause: NotAskedCause; readonly answeredAt: Instant };
};

export type PayerChallenged = {
  readonly type: 'PayerChallenged';
  readonly data: {
    readonly attemptKey: AttemptKey;
    readonly transactionId: string;
    readonly page: Sealed;
    readonly payerDueAt: Instant;
    readonly answeredAt: Instant;
    /** The gate hosts the authentication and continues without us: we ask it for the outcome, and it handles an absent payer. */
    readonly isHosted?: boolean;
  };
};

/**
 * Durable before the gate's second leg; a second event of the same key renews it before anything of that leg has left. By revision it excludes the
 * decline of an absent payer (architecture, rule 12).
 */
export type PayerReturned = {
  readonly type: 'PayerReturned';
  readonly data: { readonly attemptKey: AttemptKey; readonly returnedAt: Instant };
};

/** An operator's decision on an open outcome, as final as the gate's answer; the operator is the event's actor. */
export type AttemptSettled = {
  readonly type: 'AttemptSettled';
  readonly data: {
    readonly attemptKey: AttemptKey;
    readonly as: 'approved' | 'declined';
    readonly reason: Sealed;
    readonly settledAt: Instant;
  };
};

/** The gate contradicted its earlier answer or our assumption: recorded and alarmed; it changes nothing. */
export type LateResultConflict = {
  readonly type: 'LateResultConflict';
  readonly data: {
    readonly attemptKey: AttemptKey;
    readonly believed: 'approved' | 'declined' | 'not-asked';
    readonly told: 'approved' | 'declined';
    readonly transactionId: string;
    readonly toldAt: Instant;
  };
};

export type AttemptEvent =
  | AttemptStarted
  | AttemptApproved
  | AttemptDeclined
  | AttemptTaken
  | AttemptUnknown
  | AttemptNotAsked
  | PayerChallenged
  | PayerReturned
  | AttemptSettled
  | LateResultConflict;
