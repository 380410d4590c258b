import type { CardRefId, Decider, Instant, MerchantLogin, NonEmpty } from '@app/kernel';
import type { CardRegistrationEvent, CardUse } from './card-registration.events';
import { evolve, type CardRegistration } from './card-registration.state';
import { isChargeable, type OrderFact } from '@app/order-processing/domain';

/** The merchant requests a reference to the card of an order; a repeat gets the same one. */
export interface IssueCardReference {
  readonly type: 'IssueCardReference';
  readonly data: {
    readonly merchant: MerchantLogin;
    readonly cardRefId: CardRefId;
    readonly use: CardUse;
    readonly order: OrderFact;
    readonly now: Instant;
  };
}

export type IssueRejection =
  | { readonly reason: 'accepted-before'; readonly cardRefId: CardRefId }
  | { readonly reason: 'order-not-final' }
  /** The card proved nothing and must not be charged later; `end` is the outcome of the order. */
  | { readonly reason: 'order-not-approved'; readonly end: Extract<OrderFact['end'], { kind: 'refused' }> };

export const issueCardReference = (
  { data }: IssueCardReference,
  state: CardRegistration,
): NonEmpty<CardRegistrationEvent> | IssueRejection => {
  if (state.status === 'issued') return { reason: 'accepted-before', cardRefId: state.cardRefId };
  const { merchant, cardRefId, use, order, now } = data;
  const { end, card, mapped: _known, ...rest } = order;
  if (end.kind === 'open') return { reason: 'order-not-final' };
  if (end.kind === 'refused') return { reason: 'order-not-approved', end };
  if (card === undefined) throw new Error(`${order.orderId} is approved and has no card`);
  if (use === 'source' && !isChargeable(card)) throw new Error(`${order.orderId}: its card only receives`);
  return [{ type: 'CardReferenceIssued', data: { cardRefId, use, merchant, ...rest, card, issuedAt: now } }];
};

export const cardRegistration: Decider<IssueCardReference, CardRegistrationEvent, CardRegistration, IssueRejection> = {
  initial: { status: 'none' },
  evolve,
  decide: issueCardReference,
};
