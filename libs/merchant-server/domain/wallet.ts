import { type Instant, type Sealed, unreachable, addMs, type Decider, type NonEmpty } from '@app/kernel';
import type { CardUse, ClientCardId, KeyedDigest } from './terms';

/** The gateway's reference of a card at that time. */
type CardReference = {
  readonly serverCardId: string;
  /** The e-mail of the mapping transaction: a repeat must have the same (protocol decisions, section 8). */
  readonly email?: Sealed;
  readonly mappedAt: Instant;
};

/** A card that the consumer paid with or received on got an id for the app. */
export type CardNamed = {
  readonly type: 'CardNamed';
  readonly data: CardReference & {
    readonly clientCardId: ClientCardId;
    readonly use: CardUse;
    /** Identifies the card number at the gateway. */
    readonly uniqueReferenceCardId: string;
    readonly bin: number;
  };
};

/** The card was used again by its number: the newer reference replaces the older one, because its expiry may be later. */
export type CardReferenceRenewed = {
  readonly type: 'CardReferenceRenewed';
  readonly data: CardReference & { readonly clientCardId: ClientCardId };
};

export type RecordedSum = { readonly digest: KeyedDigest; readonly sealed: Sealed };

/** The cardholder entered a random sum from the card's statement. */
export type RandomSumTold = {
  readonly type: 'RandomSumTold';
  readonly data: {
    readonly clientCardId: ClientCardId;
    /** Absent in events of version 1, which contained it unsealed: a sum that readers of the log know proves nothing (safety, T36). */
    readonly sum?: RecordedSum;
    readonly toldAt: Instant;
  };
};

export type WalletEvent = CardNamed | CardReferenceRenewed | RandomSumTold;

export type WalletCard = CardNamed['data'] & { readonly randomSum?: RecordedSum; readonly randomSumCount: number };

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

const evolve = (state: Wallet, event: WalletEvent): Wallet => {
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

/** A consumer has few cards; a larger wallet would slow every read. */
export const WALLET_CARDS_MAX = 1_000;
/** Renewed at most daily, so that a wallet grows by at most one event per card and day. */
export const REFERENCE_RENEWED_AFTER_MS = 24 * 60 * 60 * 1_000;
/** Limits guesses; unlimited ones would find the sum (safety, T36). */
export const RANDOM_SUMS_MAX = 5;

/** A card in the gateway's notification, with an id in case it has none yet. */
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

type WalletCommand = NameCards | RecordRandomSum;

type WalletRejection =
  | { readonly reason: 'nothing-new' }
  | { readonly reason: 'wallet-full' }
  | { readonly reason: 'unknown-card' }
  | { readonly reason: 'too-many' };

/** The same card number for the same use keeps its id, even with another reference. */
export const cardLike = (
  wallet: Wallet,
  { use, uniqueReferenceCardId }: Pick<NotifiedCard, 'use' | 'uniqueReferenceCardId'>,
): WalletCard | undefined => wallet.cards.find((card) => card.use === use && card.uniqueReferenceCardId === uniqueReferenceCardId);

/** The card that the app names, if this use is allowed: a destination card cannot pay (protocol decisions, section 8). */
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
