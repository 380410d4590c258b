import type { Instant, Money, Secret } from '@app/kernel';

/** The 3-D Secure result in the interface's spelling (protocol decisions, section 2). */
export type PayerAuthentication = 'AUTHENTICATED' | 'NOT_AUTHENTICATED' | 'UNSUPPORTED' | 'UNKNOWN';

/** A loyalty programme's report on one payment, for the merchant (interface, section 2.5). */
export interface Loyalty {
  readonly balance?: string;
  readonly message?: string;
  readonly bonus?: string;
  readonly program?: string;
}

export interface AcquirerReferences {
  readonly transactionId: string;
  readonly rrn?: string;
  readonly terminalId?: string;
  /** By the gate's clock. */
  readonly processedAt: Instant;
  readonly payerAuthentication?: PayerAuthentication;
  readonly eci?: string;
  readonly gateOrderId?: string;
  readonly cardToken?: string;
  /** The scheme's id of the payment. It proves to any gate that a later charge belongs to this payment. */
  readonly networkTransactionId?: string;
  readonly loyalty?: Loyalty;
  /** The commission that the gate withheld from an approved transfer, in the currency of its amount. */
  readonly commission?: Money;
  /**
   * The sum that an approved verification withdrew and refunded. Never shown: the cardholder reads it from the
   * statement (protocol decisions, section 7).
   */
  readonly randomSum?: Money;
}

export interface Approved extends AcquirerReferences {
  readonly kind: 'approved';
  readonly approvalCode?: string;
}

export interface Declined extends AcquirerReferences {
  readonly kind: 'declined';
  /** The issuer's reason (protocol decisions, section 4). */
  readonly code: number;
  readonly advice?: string;
}

/**
 * Takes the payer's browser to the authentication: a form to post, an address to open, or a page that the gate wrote.
 */
export type PayerPage =
  | { readonly action: string; readonly fields: Readonly<Record<string, string>> }
  | { readonly address: string }
  /** Untrusted: shown in isolation from our other pages. */
  | { readonly html: string };

/** The gate continues only after the payer's browser has visited this page. */
export interface PayerNeeded {
  readonly kind: 'payer-needed';
  readonly page: PayerPage;
  readonly transactionId: string;
  /**
   * True if the gate hosts the authentication and then charges without `complete`. The outcome comes from inquiries,
   * even if the browser never returns.
   */
  readonly isHosted?: boolean;
}

/** The gate moves no money before `choose`, and none if the consumer never chooses a fee (interface, section 3.2). */
export interface ChoiceNeeded {
  readonly kind: 'choice-needed';
  readonly options: readonly { readonly option: string; readonly commission: Money }[];
  /** Lets the adapter send the choice from any process. Stored sealed; at most 1,024 characters. */
  readonly session: Secret<string>;
}

export type ChoiceAnswer = { readonly kind: 'told' } | NotAsked | Unknown;

/** Money may have moved: the gate did not answer, or its answer is not recognised. */
export interface Unknown {
  readonly kind: 'unknown';
  readonly cause: 'timeout' | 'connection-lost' | 'unrecognised-answer' | 'gate-undecided' | 'adapter-failed';
}

/** Certain: the gate did not take the request and never will. */
export interface NotAsked {
  readonly kind: 'not-asked';
  readonly cause: 'unavailable' | 'refused-by-gate';
}

export type ChargeAnswer = Approved | Declined | PayerNeeded | Unknown | NotAsked;

export type TransferAnswer = ChargeAnswer | ChoiceNeeded;

export type FollowUpAnswer = Exclude<ChargeAnswer, PayerNeeded>;

/**
 * `not-found` is accepted only after `longestFlightMs`. `not-asked` is accepted at once: the gate knows the request and
 * refused it.
 */
export type InquiryAnswer = ChargeAnswer | { readonly kind: 'not-found' };

/** `not-quoted`: the gate returned no commission, so it is not offered to a consumer who chooses by commission. */
export type QuoteAnswer = { readonly kind: 'quoted'; readonly commission: Money } | { readonly kind: 'not-quoted' };
