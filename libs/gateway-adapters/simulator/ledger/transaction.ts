import type { PayerAuthentication } from '@app/gateway-adapters/contract';
import type { AttemptKey, GateAlias, Instant, MerchantLogin, Money, OrderId } from '@app/kernel';

/** The issuer's word, with the 3-D Secure result where there was one to give. */
export type Verdict = {
  readonly payerAuthentication?: PayerAuthentication;
} & ({ readonly status: 'approved' } | { readonly status: 'declined'; readonly code: number });

/** The acquirer decided; where it is silent at first, whoever asks before `settlesAt` hears that the outcome is unknown. */
export type Decided = Verdict & { readonly decidedAt: Instant; readonly settlesAt?: Instant };

export type Standing =
  /** The gate did not take the request, and will not. */
  | { readonly status: 'refused' }
  /** The payer has not answered on the authentication page; nothing is charged. */
  | { readonly status: 'payer-pending' }
  | Decided;

/** What a gate is asked to do with a card. */
export type CardOperation = 'charge' | 'authorise' | 'verify' | 'transfer';

/** What the gate keeps of one attempt: no card number but its last four digits, and no CVV. */
export interface Transaction {
  readonly gate: GateAlias;
  readonly key: AttemptKey;
  readonly operation: CardOperation;
  readonly orderId: OrderId;
  readonly merchant: MerchantLogin;
  readonly amount: Money;
  readonly lastFour: string;
  /** Of the card that a transfer goes to. */
  readonly destinationLastFour?: string;
  /** What the gate holds for a transfer once it is approved, in the currency of the amount. */
  readonly commissionMinor?: bigint;
  /** What a verification withdraws and gives back once it is approved, in the currency of the amount. */
  readonly randomSumMinor?: bigint;
  readonly createdAt: Instant;
  /** Present where the payer was sent to the authentication page. */
  readonly payerReturnUrl?: string;
  readonly standing: Standing;
}
