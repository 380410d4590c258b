import type { AttemptKey, GateAlias, Instant, MerchantLogin, Money, OrderId } from '@app/kernel';
import type { Decided } from './transaction';

/** As a client asks for it. */
export type AskedFollowUp = 'capture' | 'return' | 'void';

/** What the gate keeps of one follow-up that it took; a return of what was not captured is a cancel. */
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
  readonly standing: Decided;
}
