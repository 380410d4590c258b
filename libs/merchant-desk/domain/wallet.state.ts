import { unreachable } from '@app/kernel';
import type { ClientCardId } from './desk-terms';
import type { CardNamed, CardReference, WalletEvent } from './wallet.events';

export type WalletCard = CardNamed['data'] & { readonly randomSumCentis?: number; readonly randomSumsTold: number };

/** The cards of one consumer, by the names that the app has for them. */
export interface Wallet {
  readonly cards: readonly WalletCard[];
}

const withCard = ({ cards }: Wallet, clientCardId: ClientCardId, change: (card: WalletCard) => WalletCard): Wallet => {
  if (!cards.some((card) => card.clientCardId === clientCardId)) throw new Error('no card of this name in the wallet');
  return { cards: cards.map((card) => (card.clientCardId === clientCardId ? change(card) : card)) };
};

const renewed = ({ email: _, ...card }: WalletCard, { serverCardId, email, mappedAt }: CardReference): WalletCard => ({
  ...card,
  serverCardId,
  mappedAt,
  ...(email !== undefined && { email }),
});

export const evolve = (state: Wallet, event: WalletEvent): Wallet => {
  switch (event.type) {
    case 'CardNamed':
      return { cards: [...state.cards, { ...event.data, randomSumsTold: 0 }] };
    case 'CardReferenceRenewed':
      return withCard(state, event.data.clientCardId, (card) => renewed(card, event.data));
    case 'RandomSumTold':
      return withCard(state, event.data.clientCardId, (card) => ({
        ...card,
        randomSumCentis: event.data.randomSumCentis,
        randomSumsTold: card.randomSumsTold + 1,
      }));
    default:
      return unreachable(event);
  }
};
