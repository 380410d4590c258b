import type { EndpointId, GateAlias, Money, NonEmpty, OrderId } from '@app/kernel';
import type { AcceptedOrder, Operation, Plan } from './accepted-order';
import type { RoutingRule } from './routing/routing-rules';
import type { ConfiguredRules } from './screening';

export type Offer =
  | {
      readonly kind: 'served';
      readonly endpointId: EndpointId;
      readonly plan: Omit<Plan, 'amounts'>;
      readonly amountMaxMinor: bigint;
      /** Recorded before an order that names them. */
      readonly rules?: { readonly version: string; readonly configured: ConfiguredRules };
      readonly routing?: { readonly version: string; readonly rules: readonly RoutingRule[] };
    }
  | {
      readonly kind: 'refused';
      /** `held`: an operator holds the entry point, or each gate that could serve the order. */
      readonly reason: 'operation-not-offered' | 'currency-not-served' | 'cvv-required' | 'email-required' | 'address-not-called' | 'held';
    };

export type TermsRejection = { readonly reason: Extract<Offer, { kind: 'refused' }>['reason'] | 'amount-out-of-range' };

export type RepeatRejection =
  | { readonly reason: 'accepted-before'; readonly orderId: OrderId; readonly endpointId: EndpointId }
  | { readonly reason: 'client-orderid-reused' };

export type AcceptanceRejection = TermsRejection | RepeatRejection;

export type RequestedOrder = Omit<AcceptedOrder, 'endpointId' | 'plan' | 'acceptedAt'>;

/** The requested amount and those tried in its place (protocol decisions, section 7). */
export interface RequestedSums {
  readonly operation: Operation;
  readonly amount: Money;
  readonly amounts?: NonEmpty<Money>;
}

export const termsOf = (
  offer: Offer,
  { operation, amount, amounts }: RequestedSums,
): Pick<AcceptedOrder, 'endpointId' | 'plan'> | TermsRejection => {
  if (offer.kind === 'refused') return { reason: offer.reason };
  const { endpointId, plan, amountMaxMinor } = offer;
  if (plan.operation !== operation) throw new Error(`an offer of ${plan.operation} for ${operation}`);
  // It moves no money, so no amount can be out of range.
  if (operation === 'account-verification') return { endpointId, plan };
  const isInRange = ({ minor }: Money): boolean => minor > 0n && minor <= amountMaxMinor;
  if (!isInRange(amount) || amounts?.every(isInRange) === false) return { reason: 'amount-out-of-range' };
  return { endpointId, plan: amounts === undefined ? plan : { ...plan, amounts } };
};

/** @throws Error for an offer that was refused */
export const firstGateOf = (offer: Offer): GateAlias => {
  if (offer.kind === 'refused') throw new Error(`no gate is offered: ${offer.reason}`);
  return offer.plan.gates[0].alias;
};

/** A repeated client_orderid gets the same order for the same content, else a refusal (protocol decisions, section 4). */
export const answerToRepeat = (
  accepted: Pick<AcceptedOrder, 'contentDigest' | 'orderId' | 'endpointId'>,
  contentDigest: AcceptedOrder['contentDigest'],
): RepeatRejection =>
  accepted.contentDigest === contentDigest
    ? { reason: 'accepted-before', orderId: accepted.orderId, endpointId: accepted.endpointId }
    : { reason: 'client-orderid-reused' };
