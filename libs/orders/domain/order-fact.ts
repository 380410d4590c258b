import {
  present,
  type AttemptKey,
  type CardRefId,
  type ClientOrderId,
  type EndpointId,
  type GateAlias,
  type OrderId,
  type OrderKind,
  type Sealed,
} from '@app/kernel';
import type { Receipt } from './attempt.events';
import type { Attempts } from './attempts.state';
import type { ReceivingCard } from './accepted-order';

/**
 * The references of an order's cards as the merchant server was notified of them; a card that was given by its reference keeps it (protocol
 * decisions, section 8).
 */
export interface MappedReferences {
  readonly source: CardRefId;
  /** Present for a transfer. */
  readonly destination?: CardRefId;
}

/** What the gate that approved an order told, by which it may charge the card again. */
export interface GateApproval extends Partial<Pick<Receipt, 'gateOrderId' | 'cardToken' | 'networkTransactionId'>> {
  readonly gate: GateAlias;
  readonly attemptKey: AttemptKey;
}

/** Undefined for an attempt that no gate approved. */
export const approvalOf = (attempts: Attempts): GateApproval | undefined => {
  if (attempts.status !== 'approved' || attempts.by !== 'gate') return undefined;
  const { gate, key: attemptKey, receipt } = attempts;
  return gateApproval(gate, attemptKey, receipt);
};

export const gateApproval = (gate: GateAlias, attemptKey: AttemptKey, receipt: Partial<Receipt>): GateApproval => {
  const { gateOrderId, cardToken, networkTransactionId } = receipt;
  return { gate, attemptKey, ...present({ gateOrderId, cardToken, networkTransactionId }) };
};

/** What one context may know of another's order, read from the order's own stream. */
export interface OrderFact {
  readonly orderKind: OrderKind;
  readonly orderId: OrderId;
  readonly clientOrderId: ClientOrderId;
  readonly endpointId: EndpointId;
  /** Always present for an approved order. */
  readonly card?: ReceivingCard;
  readonly customer: Sealed;
  /** Present once its card is erased, or about to be: it gets no reference any more. */
  readonly isCardErased?: true;
  /** Present for an approved order of the device interface. */
  readonly mapped?: MappedReferences;
  /** Present where a gate approved it, and not a person. */
  readonly approval?: GateApproval;
  readonly end:
    | { readonly kind: 'open' }
    | { readonly kind: 'approved' }
    | { readonly kind: 'refused'; readonly status: 'declined' | 'filtered' | 'error'; readonly code: number };
}
