import type { AttemptKey, Currency, EndpointId, GateAlias, Instant, MerchantLogin, OrderId } from '@app/kernel';

/** What was asked of a gate; a return is of any sum, captured or not. */
export type AskedOperation = 'sale' | 'preauth' | 'account-verification' | 'transfer' | 'capture' | 'return' | 'void';

/**
 * `accepted`: a follow-up that was not sent yet; `open`: its outcome is not known yet, or is unknown; `not-asked`: it is certain that the gate did
 * nothing.
 */
export type AskedStatus = 'accepted' | 'open' | 'approved' | 'declined' | 'not-asked';

/** One request to a gate that moves money or verifies a card, and what came of it. Amounts are minor units as text. */
export interface AskedOfGate {
  /** Null while a follow-up was not sent. */
  readonly key: AttemptKey | null;
  /** The attempt that a follow-up follows; an attempt's own key. */
  readonly original: AttemptKey;
  /** The follow-up's number; null for an attempt. */
  readonly followUp: number | null;
  readonly operation: AskedOperation;
  readonly gate: GateAlias;
  readonly amountMinor: string;
  readonly currency: Currency;
  readonly status: AskedStatus;
  /** When it was sent, or accepted. */
  readonly askedAt: Instant;
  /** When its outcome was recorded here; null while it is open. */
  readonly answeredAt: Instant | null;
  /** The gate's own time of the outcome. */
  readonly processedAt: Instant | null;
  readonly commissionMinor: string | null;
  readonly gateOrderId: string | null;
  readonly rrn: string | null;
}

/** Everything that was asked of gates for one order: what a gate's settlement is compared with. */
export interface GateAttemptsView {
  readonly merchant: MerchantLogin;
  readonly orderId: OrderId;
  readonly endpointId: EndpointId;
  readonly operation: Exclude<AskedOperation, 'capture' | 'return' | 'void'>;
  readonly acceptedAt: Instant;
  /** Attempts and follow-ups in the order in which they were asked for. */
  readonly asked: readonly AskedOfGate[];
}
