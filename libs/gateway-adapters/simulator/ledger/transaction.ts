import type { AttemptKey, GateAlias, Instant, MerchantLogin, Money, OrderId } from '@app/kernel';
import type { PayerAuthentication, RebillMeans } from '../../contract';

/** The issuer's decision, with the 3-D Secure result where there was one. */
export type Verdict = {
  readonly payerAuthentication?: PayerAuthentication;
} & ({ readonly status: 'approved' } | { readonly status: 'declined'; readonly code: number });

/** The acquirer decided; where it is silent at first, an inquiry before `knownFrom` answers that the outcome is unknown. */
export type Decided = Verdict & { readonly decidedAt: Instant; readonly knownFrom?: Instant };

export type TransactionState =
  /** The gate refused the request for good. */
  | { readonly status: 'refused' }
  /** The payer has not answered on the authentication page; nothing is charged. */
  | { readonly status: 'payer-pending' }
  | Decided;

/** The requests to a gate that carry a card. */
export type CardOperation = 'charge' | 'authorise' | 'verify' | 'transfer';

/** The gate's record of one attempt: no card number but its last four digits, and no CVV. */
export interface Transaction {
  readonly gate: GateAlias;
  readonly key: AttemptKey;
  readonly operation: CardOperation;
  readonly orderId: OrderId;
  readonly merchant: MerchantLogin;
  readonly amount: Money;
  readonly lastFour: string;
  /** What was sent in place of the card; absent where the card itself was. */
  readonly chargedBy?: RebillMeans;
  /** The last four digits of the card that a transfer goes to. */
  readonly destinationLastFour?: string;
  /** The commission that the gate holds once a transfer is approved, in the currency of the amount. */
  readonly commissionMinor?: bigint;
  /** The sum that a verification withdraws and refunds once it is approved, in the currency of the amount. */
  readonly randomSumMinor?: bigint;
  readonly createdAt: Instant;
  /** Present where the payer was sent to the authentication page. */
  readonly payerReturnUrl?: string;
  readonly state: TransactionState;
}

/** The follow-up that a client asks for; a return becomes a reversal or a cancel. */
export type AskedFollowUp = 'capture' | 'return' | 'void';

/** A follow-up that the gate accepted; a return of a sum that was not captured is a cancel. */
export interface FollowUpTransaction {
  readonly gate: GateAlias;
  readonly key: AttemptKey;
  /** The approved attempt that it follows. */
  readonly original: AttemptKey;
  readonly operation: 'capture' | 'reversal' | 'cancel' | 'void';
  readonly orderId: OrderId;
  readonly merchant: MerchantLogin;
  readonly amount: Money;
  readonly createdAt: Instant;
  readonly state: Decided;
}
