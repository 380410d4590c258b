import { unreachable } from '@app/kernel';
import type { ClientCardId } from './terms';
import type { CardNamed, CardReference, RecordedSum, WalletEvent } from './wallet.events';

export type WalletCard = CardNamed['data'] & { readonly randomSum?: RecordedSum; readonly randomSumCount: number };

/** The cards of one consumer, by the app's ids of them. */
export interface Wallet {
  readonly cards: readonly WalletCard[];
}

const withCard = ({ cards }: Wallet, clientCardId: ClientCardId, change: (card: WalletCard) => WalletCard): Wallet => {
  if (!cards.some((card) => card.clientCardId === clientCardId)) throw new Error('no card of this id in the wallet');
  return { cards: cards.map((card) => (card.clientCardId === clientCardId ? change(card) : card)) };
};

const renewed = ({ email: _, ...card }: WalletCard, { serverCardId, email, mappedAt }: CardReference): WalletCard => ({
  ...card,
  serverCardId,
  mappedAt,
  ...(email !== undefined && { email }),
});

const withRandomSum = ({ randomSum: _, ...card }: WalletCard, sum: RecordedSum | undefined): WalletCard => ({
  ...card,
  ...(sum !== undefined && { randomSum: sum }),
  randomSumCount: card.randomSumCount + 1,
});

export const evolve = (state: Wallet, event: WalletEvent): Wallet => {
  switch (event.type) {
    case 'CardNamed':
      return { cards: [...state.cards, { ...event.data, randomSumCount: 0 }] };
    case 'CardReferenceRenewed':
      return withCard(state, event.data.clientCardId, (card) => renewed(card, event.data));
    case 'RandomSumTold':
      return withCard(state, event.data.clientCardId, (card) => withRandomSum(card, event.data.sum));
    default:
      return unreachable(event);
  }
};
