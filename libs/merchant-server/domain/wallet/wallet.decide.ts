import { addMs, unreachable, type Decider, type Instant, type NonEmpty, type Sealed } from '@app/kernel';
import type { CardUse, ClientCardId } from '../terms';
import { evolve, type Wallet, type WalletCard } from './wallet.state';
import type { ToldSum, WalletEvent } from './wallet.events';

/** A consumer has few cards; more than this is no consumer, and would make every look into the wallet long. */
export const WALLET_CARDS_MAX = 1_000;
/** A card number has one expiry in a day: a younger reference is left as it is, and a wallet grows by one event a card and day at most. */
export const REFERENCE_RENEWED_AFTER_MS = 24 * 60 * 60 * 1_000;
/** Whoever may guess for ever finds the sum (safety, T36). */
export const RANDOM_SUMS_TOLD_MAX = 5;

/** A card as the gateway tells it, with the name that the app would know it by if it has none yet. */
export interface ToldCard {
  readonly use: CardUse;
  readonly uniqueReferenceCardId: string;
  readonly bin: number;
  readonly serverCardId: string;
  readonly newClientCardId: ClientCardId;
}

export interface NameCards {
  readonly type: 'NameCards';
  readonly data: { readonly cards: readonly ToldCard[]; readonly email?: Sealed; readonly now: Instant };
}

export interface TellRandomSum {
  readonly type: 'TellRandomSum';
  readonly data: { readonly clientCardId: ClientCardId; readonly sum: ToldSum; readonly now: Instant };
}

export type WalletCommand = NameCards | TellRandomSum;

export type WalletRejection =
  | { readonly reason: 'nothing-new' }
  | { readonly reason: 'wallet-full' }
  | { readonly reason: 'unknown-card' }
  | { readonly reason: 'told-too-often' };

/** The same card number for the same use keeps its name, whatever reference it comes with. */
export const cardLike = (
  wallet: Wallet,
  { use, uniqueReferenceCardId }: Pick<ToldCard, 'use' | 'uniqueReferenceCardId'>,
): WalletCard | undefined => wallet.cards.find((card) => card.use === use && card.uniqueReferenceCardId === uniqueReferenceCardId);

/** The card that the app names, where it may be used so: a destination card is no source (protocol decisions, section 8). */
export const cardNamed = (wallet: Wallet, clientCardId: ClientCardId, use: CardUse): WalletCard | undefined =>
  wallet.cards.find((card) => card.clientCardId === clientCardId && (card.use === 'source' || use === 'destination'));

const named = (wallet: Wallet, told: ToldCard, email: Sealed | undefined, now: Instant): WalletEvent | undefined => {
  const { newClientCardId, ...card } = told;
  const reference = { serverCardId: card.serverCardId, ...(email !== undefined && { email }), mappedAt: now };
  const known = cardLike(wallet, told);
  if (known === undefined) return { type: 'CardNamed', data: { ...card, ...reference, clientCardId: newClientCardId } };
  const isNewer = known.serverCardId !== card.serverCardId && now >= addMs(known.mappedAt, REFERENCE_RENEWED_AFTER_MS);
  return isNewer ? { type: 'CardReferenceRenewed', data: { ...reference, clientCardId: known.clientCardId } } : undefined;
};

export const nameCards = ({ data }: NameCards, state: Wallet): NonEmpty<WalletEvent> | WalletRejection => {
  const { cards, email, now } = data;
  const [first, ...rest] = cards.flatMap((card) => named(state, card, email, now) ?? []);
  if (first === undefined) return { reason: 'nothing-new' };
  const added = [first, ...rest].filter(({ type }) => type === 'CardNamed').length;
  return state.cards.length + added > WALLET_CARDS_MAX ? { reason: 'wallet-full' } : [first, ...rest];
};

export const tellRandomSum = ({ data }: TellRandomSum, state: Wallet): NonEmpty<WalletEvent> | WalletRejection => {
  const { clientCardId, sum, now } = data;
  const card = state.cards.find((one) => one.clientCardId === clientCardId);
  if (card === undefined) return { reason: 'unknown-card' };
  if (card.randomSum?.digest === sum.digest) return { reason: 'nothing-new' };
  if (card.randomSumsTold >= RANDOM_SUMS_TOLD_MAX) return { reason: 'told-too-often' };
  return [{ type: 'RandomSumTold', data: { clientCardId, sum, toldAt: now } }];
};

export const wallet: Decider<WalletCommand, WalletEvent, Wallet, WalletRejection> = {
  initial: { cards: [] },
  evolve,
  decide: (command, state) => {
    switch (command.type) {
      case 'NameCards':
        return nameCards(command, state);
      case 'TellRandomSum':
        return tellRandomSum(command, state);
      default:
        return unreachable(command);
    }
  },
};
