import type { CardRefId, Decider, Instant, MerchantLogin, NonEmpty } from '@app/kernel';
import { isChargeable, type OrderFact } from '@app/orders/domain';
import type { CardRegistrationEvent, CardUse } from './card-registration.events';
import { evolve, NOTHING_KNOWN, type CardRegistration, type TokensOfCard } from './card-registration.state';
import { tokensOf } from './gate-tokens';

/** The merchant requests a reference to the card of an order; a repeat gets the same one. */
export interface IssueCardReference {
  readonly type: 'IssueCardReference';
  readonly data: {
    readonly merchant: MerchantLogin;
    readonly cardRefId: CardRefId;
    readonly use: CardUse;
    readonly order: OrderFact;
    /** Whether the gate that approved the order gives a token of the card when it is asked. */
    readonly canRegister: boolean;
    readonly now: Instant;
  };
}

export type IssueRejection =
  | { readonly reason: 'accepted-before'; readonly cardRefId: CardRefId }
  | { readonly reason: 'card-shredded' }
  | { readonly reason: 'order-not-final' }
  /** The card proved nothing and must not be charged later; `end` is the outcome of the order. */
  | { readonly reason: 'order-not-approved'; readonly end: Extract<OrderFact['end'], { kind: 'refused' }> };

const issueCardReference = ({ data }: IssueCardReference, state: CardRegistration): NonEmpty<CardRegistrationEvent> | IssueRejection => {
  const { merchant, cardRefId, use, order, canRegister, now } = data;
  const { end, card, approval, mapped: _known, ...rest } = order;
  const tokensBeside = (known: TokensOfCard): readonly CardRegistrationEvent[] =>
    use === 'destination' || approval === undefined ? [] : tokensOf(approval, { canRegister, known, now });
  if (state.status === 'shredded') return { reason: 'card-shredded' };
  if (state.status === 'issued') {
    const [first, ...others] = end.kind === 'approved' ? tokensBeside(state) : [];
    return first === undefined ? { reason: 'accepted-before', cardRefId: state.cardRefId } : [first, ...others];
  }
  if (end.kind === 'open') return { reason: 'order-not-final' };
  if (end.kind === 'refused') return { reason: 'order-not-approved', end };
  if (card === undefined) throw new Error(`${order.orderId} is approved and has no card`);
  if (use === 'source' && !isChargeable(card)) throw new Error(`${order.orderId}: its card only receives`);
  const issued = { type: 'CardReferenceIssued' as const, data: { cardRefId, use, merchant, ...rest, card, issuedAt: now } };
  return [issued, ...tokensBeside(NOTHING_KNOWN)];
};

export const cardRegistration: Decider<IssueCardReference, CardRegistrationEvent, CardRegistration, IssueRejection> = {
  initial: { status: 'none' },
  evolve,
  decide: issueCardReference,
};
