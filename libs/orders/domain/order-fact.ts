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

/** References as the merchant server was notified; a card given by its reference keeps it (protocol decisions, section 8). */
export interface MappedReferences {
  readonly source: CardRefId;
  readonly destination?: CardRefId;
}

/** What the approving gate returned for later charges of the card. */
export interface GateApproval extends Partial<Pick<Receipt, 'gateOrderId' | 'cardToken' | 'networkTransactionId'>> {
  readonly gate: GateAlias;
  readonly attemptKey: AttemptKey;
}

/** Undefined if no gate approved the attempt. */
export const approvalOf = (attempts: Attempts): GateApproval | undefined => {
  if (attempts.status !== 'approved' || attempts.by !== 'gate') return undefined;
  const { gate, key: attemptKey, receipt } = attempts;
  return gateApproval(gate, attemptKey, receipt);
};

export const gateApproval = (gate: GateAlias, attemptKey: AttemptKey, receipt: Partial<Receipt>): GateApproval => {
  const { gateOrderId, cardToken, networkTransactionId } = receipt;
  return { gate, attemptKey, ...present({ gateOrderId, cardToken, networkTransactionId }) };
};

/** What other contexts may know of an order, read from its stream. */
export interface OrderFact {
  readonly orderKind: OrderKind;
  readonly orderId: OrderId;
  readonly clientOrderId: ClientOrderId;
  readonly endpointId: EndpointId;
  /** Always present for an approved order. */
  readonly card?: ReceivingCard;
  readonly customer: Sealed;
  /** An erased card gets no reference. */
  readonly isCardErased?: true;
  readonly mapped?: MappedReferences;
  /** Present if a gate approved it, and not an operator. */
  readonly approval?: GateApproval;
  readonly end:
    | { readonly kind: 'open' }
    | { readonly kind: 'approved' }
    | { readonly kind: 'refused'; readonly status: 'declined' | 'filtered' | 'error'; readonly code: number };
}
