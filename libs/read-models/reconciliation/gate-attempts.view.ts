import type { AttemptKey, Currency, EndpointId, GateAlias, Instant, MerchantLogin, OrderId } from '@app/kernel';

/** A return can have any amount, captured or not. */
export type AskedOperation = 'sale' | 'preauth' | 'account-verification' | 'transfer' | 'capture' | 'return' | 'void';

/**
 * `accepted`: a follow-up that was not sent yet; `open`: the outcome is pending or unknown; `not-asked`: the gate certainly did nothing.
 */
export type AskedStatus = 'accepted' | 'open' | 'approved' | 'declined' | 'not-asked';

/** A request to a gate that moves money or verifies a card, with its outcome. Amounts are minor units as text. */
export interface GateAttemptView {
  readonly key: AttemptKey | null;
  /** The attempt that a follow-up refers to; an attempt's own key. */
  readonly original: AttemptKey;
  readonly followUp: number | null;
  readonly operation: AskedOperation;
  readonly gate: GateAlias;
  readonly amountMinor: string;
  readonly currency: Currency;
  readonly status: AskedStatus;
  readonly askedAt: Instant;
  /** Start of the call that the gate has not answered yet; else null. */
  readonly sentAt: Instant | null;
  /** When its outcome was recorded here; null while it is open. */
  readonly answeredAt: Instant | null;
  readonly processedAt: Instant | null;
  readonly commissionMinor: string | null;
  readonly gateOrderId: string | null;
  readonly rrn: string | null;
}

export interface GateAttemptsView {
  readonly merchant: MerchantLogin;
  readonly orderId: OrderId;
  readonly endpointId: EndpointId;
  readonly operation: Exclude<AskedOperation, 'capture' | 'return' | 'void'>;
  readonly acceptedAt: Instant;
  readonly asked: readonly GateAttemptView[];
}
