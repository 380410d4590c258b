import type { AttemptKey, GateAlias, Instant, MerchantLogin, Money, OrderId } from '@app/kernel';
import type { PayerAuthentication, RebillMeans } from '../../contract';

export type Verdict = {
  readonly payerAuthentication?: PayerAuthentication;
} & ({ readonly status: 'approved' } | { readonly status: 'declined'; readonly code: number });

/** If silent at first, an inquiry before `knownFrom` returns `unknown`. */
export type Decided = Verdict & { readonly decidedAt: Instant; readonly knownFrom?: Instant };

export type TransactionState =
  | { readonly status: 'refused' }
  /** The payer has not answered on the authentication page; nothing is charged. */
  | { readonly status: 'payer-pending' }
  | Decided;

export type CardOperation = 'charge' | 'authorise' | 'verify' | 'transfer';

/** Contains only the last four digits of the card number, and no CVV. */
export interface Transaction {
  readonly gate: GateAlias;
  readonly key: AttemptKey;
  readonly operation: CardOperation;
  readonly orderId: OrderId;
  readonly merchant: MerchantLogin;
  readonly amount: Money;
  readonly lastFour: string;
  readonly chargedBy?: RebillMeans;
  readonly destinationLastFour?: string;
  /** Withheld if the transfer is approved, in the currency of the amount. */
  readonly commissionMinor?: bigint;
  /** Withdrawn and refunded if the verification is approved, in the currency of the amount. */
  readonly randomSumMinor?: bigint;
  readonly createdAt: Instant;
  readonly payerReturnUrl?: string;
  readonly state: TransactionState;
}

export type AskedFollowUp = 'capture' | 'return' | 'void';

/** An accepted follow-up; a return of an uncaptured sum is a cancel. */
export interface FollowUpTransaction {
  readonly gate: GateAlias;
  readonly key: AttemptKey;
  readonly original: AttemptKey;
  readonly operation: 'capture' | 'reversal' | 'cancel' | 'void';
  readonly orderId: OrderId;
  readonly merchant: MerchantLogin;
  readonly amount: Money;
  readonly createdAt: Instant;
  readonly state: Decided;
}
