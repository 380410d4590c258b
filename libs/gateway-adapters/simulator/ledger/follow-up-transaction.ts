import type { AttemptKey, GateAlias, Instant, MerchantLogin, Money, OrderId } from '@app/kernel';
import type { Decided } from './transaction';

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
