import type { Instant, Sealed } from '@app/kernel';
import type { CardUse, ClientCardId, KeyedDigest } from '../terms';

/** The gateway's reference of a card, as good as it was at that instant. */
export type CardReference = {
  readonly serverCardId: string;
  /** The e-mail that the mapping transaction carried: a repeat must carry the same (protocol decisions, section 8). */
  readonly email?: Sealed;
  readonly mappedAt: Instant;
};

/** A card that the consumer paid with, or was paid on, got a name for the app. */
export type CardNamed = {
  readonly type: 'CardNamed';
  readonly data: CardReference & {
    readonly clientCardId: ClientCardId;
    readonly use: CardUse;
    /** Names the card number at the gateway. */
    readonly uniqueReferenceCardId: string;
    readonly bin: number;
  };
};

/** The card was used again by its number: the newer reference takes the older one's place, for it may have a later expiry. */
export type CardReferenceRenewed = {
  readonly type: 'CardReferenceRenewed';
  readonly data: CardReference & { readonly clientCardId: ClientCardId };
};

/** A random sum, sealed, and what tells it from another one of the same card. */
export type ToldSum = { readonly digest: KeyedDigest; readonly sealed: Sealed };

/** The cardholder read a random sum on the card's statement. */
export type RandomSumTold = {
  readonly type: 'RandomSumTold';
  readonly data: {
    readonly clientCardId: ClientCardId;
    /** Absent in what version 1 held in clear: a sum that a reader of the log could know proves nobody (safety, T36). */
    readonly sum?: ToldSum;
    readonly toldAt: Instant;
  };
};

export type WalletEvent = CardNamed | CardReferenceRenewed | RandomSumTold;
