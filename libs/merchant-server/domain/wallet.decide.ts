import { addMs, unreachable, type Decider, type Instant, type NonEmpty, type Sealed } from '@app/kernel';
import type { CardUse, ClientCardId } from './terms';
import { evolve, type Wallet, type WalletCard } from './wallet.state';
import type { RecordedSum, WalletEvent } from './wallet.events';

/** A consumer has few cards; a larger wallet would make every read of it slow. */
export const WALLET_CARDS_MAX = 1_000;
/** A reference younger than a day is kept, so that a wallet grows by at most one event for each card and day. */
export const REFERENCE_RENEWED_AFTER_MS = 24 * 60 * 60 * 1_000;
/** Limits the guesses, since unlimited ones would find the sum (safety, T36). */
export const RANDOM_SUMS_MAX = 5;

/** A card in the gateway's notification, with the id that it gets if it has none yet. */
export interface NotifiedCard {
  readonly use: CardUse;
  readonly uniqueReferenceCardId: string;
  readonly bin: number;
  readonly serverCardId: string;
  readonly newClientCardId: ClientCardId;
}

export interface NameCards {
  readonly type: 'NameCards';
  readonly data: { readonly cards: readonly NotifiedCard[]; readonly email?: Sealed; readonly now: Instant };
}

export interface RecordRandomSum {
  readonly type: 'RecordRandomSum';
  readonly data: { readonly clientCardId: ClientCardId; readonly sum: RecordedSum; readonly now: Instant };
}

export type WalletCommand = NameCards | RecordRandomSum;

export type WalletRejection =
  | { readonly reason: 'nothing-new' }
  | { readonly reason: 'wallet-full' }
  | { readonly reason: 'unknown-card' }
  | { readonly reason: 'too-many' };

/** The same card number for the same use keeps its id, whatever its reference. */
export const cardLike = (
  wallet: Wallet,
  { use, uniqueReferenceCardId }: Pick<NotifiedCard, 'use' | 'uniqueReferenceCardId'>,
): WalletCard | undefined => wallet.cards.find((card) => card.use === use && card.uniqueReferenceCardId === uniqueReferenceCardId);

/** The card that the app names, where this use is allowed: a destination card cannot pay (protocol decisions, section 8). */
export const cardNamed = (wallet: Wallet, clientCardId: ClientCardId, use: CardUse): WalletCard | undefined =>
  wallet.cards.find((card) => card.clientCardId === clientCardId && (card.use === 'source' || use === 'destination'));

const named = (wallet: Wallet, notified: NotifiedCard, email: Sealed | undefined, now: Instant): WalletEvent | undefined => {
  const { newClientCardId, ...card } = notified;
  const reference = { serverCardId: card.serverCardId, ...(email !== undefined && { email }), mappedAt: now };
  const known = cardLike(wallet, notified);
  if (known === undefined) return { type: 'CardNamed', data: { ...card, ...reference, clientCardId: newClientCardId } };
  const isNewer = known.serverCardId !== card.serverCardId && now >= addMs(known.mappedAt, REFERENCE_RENEWED_AFTER_MS);
  return isNewer ? { type: 'CardReferenceRenewed', data: { ...reference, clientCardId: known.clientCardId } } : undefined;
};

const nameCards = ({ data }: NameCards, state: Wallet): NonEmpty<WalletEvent> | WalletRejection => {
  const { cards, email, now } = data;
  const [first, ...rest] = cards.flatMap((card) => named(state, card, email, now) ?? []);
  if (first === undefined) return { reason: 'nothing-new' };
  const added = [first, ...rest].filter(({ type }) => type === 'CardNamed').length;
  return state.cards.length + added > WALLET_CARDS_MAX ? { reason: 'wallet-full' } : [first, ...rest];
};

const recordRandomSum = ({ data }: RecordRandomSum, state: Wallet): NonEmpty<WalletEvent> | WalletRejection => {
  const { clientCardId, sum, now } = data;
  const card = state.cards.find((one) => one.clientCardId === clientCardId);
  if (card === undefined) return { reason: 'unknown-card' };
  if (card.randomSum?.digest === sum.digest) return { reason: 'nothing-new' };
  if (card.randomSumCount >= RANDOM_SUMS_MAX) return { reason: 'too-many' };
  return [{ type: 'RandomSumTold', data: { clientCardId, sum, toldAt: now } }];
};

export const wallet: Decider<WalletCommand, WalletEvent, Wallet, WalletRejection> = {
  initial: { cards: [] },
  evolve,
  decide: (command, state) => {
    switch (command.type) {
      case 'NameCards':
        return nameCards(command, state);
      case 'RecordRandomSum':
        return recordRandomSum(command, state);
      default:
        return unreachable(command);
    }
  },
};
