import type { EndpointId, Money, OrderId } from '@app/kernel';
import type { AcceptedOrder, Plan } from './accepted-order';

/** What an entry point offers for one request, read from the configuration of the moment. */
export type Offer =
  | { readonly kind: 'served'; readonly endpointId: EndpointId; readonly plan: Plan; readonly amountMaxMinor: bigint }
  | { readonly kind: 'refused'; readonly reason: 'operation-not-offered' | 'currency-not-served' | 'cvv-required' | 'address-not-called' };

export type TermsRejection = { readonly reason: Extract<Offer, { kind: 'refused' }>['reason'] | 'amount-out-of-range' };

export type RepeatRejection =
  | { readonly reason: 'accepted-before'; readonly orderId: OrderId; readonly endpointId: EndpointId }
  | { readonly reason: 'client-orderid-reused' };

export type AcceptanceRejection = TermsRejection | RepeatRejection;

/** An order as it stands before an entry point took it. */
export type RequestedOrder = Omit<AcceptedOrder, 'endpointId' | 'plan' | 'acceptedAt'>;

/** What the order gets from its entry point, or why the entry point does not take this amount. */
export const termsOf = (offer: Offer, amount: Money): Pick<AcceptedOrder, 'endpointId' | 'plan'> | TermsRejection => {
  if (offer.kind === 'refused') return { reason: offer.reason };
  const { endpointId, plan, amountMaxMinor } = offer;
  return amount.minor <= 0n || amount.minor > amountMaxMinor ? { reason: 'amount-out-of-range' } : { endpointId, plan };
};

/** The same client_orderid again: the same order for the same content, a refusal for any other (protocol decisions, section 4). */
export const answerToRepeat = (
  accepted: Pick<AcceptedOrder, 'contentDigest' | 'orderId' | 'endpointId'>,
  contentDigest: AcceptedOrder['contentDigest'],
): RepeatRejection =>
  accepted.contentDigest === contentDigest
    ? { reason: 'accepted-before', orderId: accepted.orderId, endpointId: accepted.endpointId }
    : { reason: 'client-orderid-reused' };
