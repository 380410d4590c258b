import type { Instant, Money, Secret } from '@app/kernel';

/** The 3-D Secure result as the interface spells it (protocol decisions, section 2). */
export type PayerAuthentication = 'AUTHENTICATED' | 'NOT_AUTHENTICATED' | 'UNSUPPORTED' | 'UNKNOWN';

/** What a loyalty programme reports of one payment, for the merchant's eyes (interface, section 2.5). */
export interface Loyalty {
  readonly balance?: string;
  readonly message?: string;
  readonly bonus?: string;
  readonly program?: string;
}

/** The acquirer's references of one transaction; a member that it does not give is left out. */
export interface AcquirerReferences {
  readonly transactionId: string;
  readonly rrn?: string;
  readonly terminalId?: string;
  /** The gate's own time. */
  readonly processedAt: Instant;
  readonly payerAuthentication?: PayerAuthentication;
  readonly eci?: string;
  /** The gate's own name of the order, where follow-ups and later charges must name it so. */
  readonly gateOrderId?: string;
  /** The gate's own token of the card, by which it charges the card again. */
  readonly cardToken?: string;
  /** The scheme's id of the payment, by which any gate proves that a later charge belongs to it. */
  readonly networkTransactionId?: string;
  readonly loyalty?: Loyalty;
  /** The commission that the gate held for an approved transfer, in the currency of its amount. */
  readonly commission?: Money;
  /**
   * The sum that an approved verification withdrew and refunded; no answer shows it, since the cardholder reads it from the statement (protocol
   * decisions, section 7).
   */
  readonly randomSum?: Money;
}

export interface Approved extends AcquirerReferences {
  readonly kind: 'approved';
  /** Absent where the gate gives none. */
  readonly approvalCode?: string;
}

export interface Declined extends AcquirerReferences {
  readonly kind: 'declined';
  /** The issuer's reason (protocol decisions, section 4). */
  readonly code: number;
  /** Advice to the payer, where the gate gives one. */
  readonly advice?: string;
}

/** What takes the payer's browser to the authentication: a form that it posts, an address that it opens, or a page that the gate wrote for it. */
export type PayerPage =
  | { readonly action: string; readonly fields: Readonly<Record<string, string>> }
  | { readonly address: string }
  /** Shown to the browser as a page of a stranger, without access to any other page of ours. */
  | { readonly html: string };

/** The payer's browser must go to a page before the gate goes on. */
export interface PayerNeeded {
  readonly kind: 'payer-needed';
  readonly page: PayerPage;
  readonly transactionId: string;
  /**
   * True where the gate hosts the authentication: it learns its end by itself, and charges without another word from us, whether or not the payer's
   * browser comes back here. Its inquiries tell the outcome. Otherwise it waits for `complete`.
   */
  readonly isHosted?: boolean;
}

/**
 * The gate has the transfer and waits for the consumer to choose one of its fees; it moves no money before `choose`, nor where none comes (interface,
 * section 3.2).
 */
export interface ChoiceNeeded {
  readonly kind: 'choice-needed';
  readonly options: readonly { readonly option: string; readonly commission: Money }[];
  /** What the adapter needs to tell the gate the choice, in any process; kept sealed. At most 1,024 characters. */
  readonly session: Secret<string>;
}

/** What came of a choice that was told. Whatever it is, the outcome is inquired. */
export type ChoiceAnswer = { readonly kind: 'told' } | NotAsked | Unknown;

/** The gate was silent, or answered in a way that we do not know: money may have moved. */
export interface Unknown {
  readonly kind: 'unknown';
  readonly cause: 'timeout' | 'connection-lost' | 'unrecognised-answer' | 'gate-undecided' | 'adapter-failed';
}

/** Certain: the gate did not take the request, and will not. */
export interface NotAsked {
  readonly kind: 'not-asked';
  readonly cause: 'unavailable' | 'refused-by-gate';
}

export type ChargeAnswer = Approved | Declined | PayerNeeded | Unknown | NotAsked;

/** Only a transfer has fees that a gate may let the consumer choose. */
export type TransferAnswer = ChargeAnswer | ChoiceNeeded;

/** As the answer to a charge; once nothing is left to be asked of a payer. */
export type FollowUpAnswer = Exclude<ChargeAnswer, PayerNeeded>;

/** A gate's `not-found` is believed only after `longestFlightMs`; its `not-asked` at once, because it knows the request and refused it. */
export type InquiryAnswer = ChargeAnswer | { readonly kind: 'not-found' };

/** `not-quoted`: the gate names no commission for this, and is not offered where the consumer chooses by it. */
export type QuoteAnswer = { readonly kind: 'quoted'; readonly commission: Money } | { readonly kind: 'not-quoted' };
