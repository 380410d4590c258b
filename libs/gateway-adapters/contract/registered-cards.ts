import type { NotAsked, Unknown } from './answers';
import type { ChargeRequest, SentRequest } from './requests';

/** By what a gate may charge a registered card without its number. */
export type RebillMeans = 'token' | 'network-transaction';

/** A registered card as a gate knows it: no number is sent, and none is opened for it. */
export type CardAtGate =
  /** The gate's own token, which no other gate takes. */
  | { readonly kind: 'token'; readonly token: string }
  /** The scheme's id of the payment that proved the card. */
  | { readonly kind: 'network-transaction'; readonly networkTransactionId: string };

/** A charge of a registered card, for which no payer is at hand. */
export interface RebillRequest extends Omit<ChargeRequest, 'card' | 'payerReturnUrl'> {
  readonly transactionType: 'sale' | 'preauth';
  /** Of one of the gate's `means`. */
  readonly by: CardAtGate;
}

/** Asks for the token of a card that this gate approved an order of. */
export interface RegisterRequest extends Omit<SentRequest, 'amount'> {
  /** The gate's own name of the approved order, where it gave one. */
  readonly gateOrderId?: string;
  /** What may be known of the card, so that a token of another card is not believed. */
  readonly card: { readonly bin: string; readonly lastFour: string };
}

/** `refused` is for good; `other-card` where the gate's token is not of this card. After `unknown` and `not-asked` the gate is asked again. */
export type RegisterAnswer =
  | { readonly kind: 'registered'; readonly cardToken: string }
  | { readonly kind: 'refused'; readonly cause: 'refused-by-gate' | 'other-card' }
  | NotAsked
  | Unknown;
