import { unreachable, type GateAlias } from '@app/kernel';
import { isChargeable, type CardAtGates, type OrderCard, type ReceivingCard } from '@app/orders/domain';
import type { CardReferenceIssued, CardRegistrationEvent, GateTokenEvent, GateTokenWanted } from './card-registration.events';

/** What the gates of the card's entry point know it by. */
export interface TokensOfCard {
  readonly atGates: CardAtGates;
  /** Gates that were not heard yet, at most one item each. */
  readonly wanted: readonly GateTokenWanted['data'][];
  /** Gates that will give no token of this card. */
  readonly refusedBy: readonly GateAlias[];
}

type Issued = Omit<CardReferenceIssued['data'], 'use' | 'card'> & TokensOfCard & { readonly status: 'issued' };

export type CardRegistration =
  | { readonly status: 'none' }
  | { readonly status: 'shredded'; readonly cardRefId: CardReferenceIssued['data']['cardRefId'] }
  | (Issued & { readonly use: 'source'; readonly card: OrderCard })
  | (Issued & { readonly use: 'destination'; readonly card: ReceivingCard });

export const NOTHING_KNOWN: TokensOfCard = { atGates: { tokens: [] }, wanted: [], refusedBy: [] };

const issuedOf = ({ use, card, ...issued }: CardReferenceIssued['data']): CardRegistration => {
  if (use === 'destination') return { status: 'issued', use, card, ...issued, ...NOTHING_KNOWN };
  if (!isChargeable(card)) throw new Error('a reference to charge a card that only receives');
  return { status: 'issued', use, card, ...issued, ...NOTHING_KNOWN };
};

const tokensAfter = ({ atGates, wanted, refusedBy }: TokensOfCard, event: GateTokenEvent): TokensOfCard => {
  const { gate } = event.data;
  const others = <Item extends { readonly gate: GateAlias }>(items: readonly Item[]): readonly Item[] =>
    items.filter((item) => item.gate !== gate);
  switch (event.type) {
    case 'GateTokenWanted':
      return { atGates, wanted: [...others(wanted), event.data], refusedBy };
    case 'GateTokenKept': {
      const tokens = [...others(atGates.tokens), { gate, token: event.data.token }];
      return { atGates: { ...atGates, tokens }, wanted: others(wanted), refusedBy };
    }
    case 'GateTokenRefused':
      return { atGates, wanted: others(wanted), refusedBy: event.data.cause === 'given-up' ? refusedBy : [...refusedBy, gate] };
    case 'NetworkTransactionKept':
      return { atGates: { ...atGates, networkTransactionId: event.data.networkTransactionId }, wanted, refusedBy };
    default:
      return unreachable(event);
  }
};

export const evolve = (state: CardRegistration, event: CardRegistrationEvent): CardRegistration => {
  if (event.type === 'CardReferenceIssued') {
    if (state.status !== 'none') throw new Error(`${event.type} twice`);
    return issuedOf(event.data);
  }
  if (state.status === 'none') throw new Error(`${event.type} before CardReferenceIssued`);
  if (state.status === 'shredded') throw new Error(`${event.type} after CardShredded`);
  if (event.type === 'CardShredded') return { status: 'shredded', cardRefId: state.cardRefId };
  const { atGates, wanted, refusedBy } = state;
  return { ...state, ...tokensAfter({ atGates, wanted, refusedBy }, event) };
};
