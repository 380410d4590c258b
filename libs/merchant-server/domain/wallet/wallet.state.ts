import { unreachable } from '@app/kernel';
import type { ClientCardId } from '../terms';
import type { CardNamed, CardReference, ToldSum, WalletEvent } from './wallet.events';

export type WalletCard = CardNamed['data'] & { readonly randomSum?: ToldSum; readonly randomSumsTold: number };

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

const told = ({ randomSum: _, ...card }: WalletCard, sum: ToldSum | undefined): WalletCard => ({
  ...card,
  ...(sum !== undefined && { randomSum: sum }),
  randomSumsTold: card.randomSumsTold + 1,
});

export const evolve = (state: Wallet, event: WalletEvent): Wallet => {
  switch (event.type) {
    case 'CardNamed':
      return { cards: [...state.cards, { ...event.data, randomSumsTold: 0 }] };
    case 'CardReferenceRenewed':
      return withCard(state, event.data.clientCardId, (card) => renewed(card, event.data));
    case 'RandomSumTold':
      return withCard(state, event.data.clientCardId, (card) => told(card, event.data.sum));
    default:
      return unreachable(event);
  }
};
