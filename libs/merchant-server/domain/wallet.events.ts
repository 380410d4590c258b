import type { Instant, Sealed } from '@app/kernel';
import type { CardUse, ClientCardId, KeyedDigest } from './terms';

/** The gateway's reference of a card at that instant. */
export type CardReference = {
  readonly serverCardId: string;
  /** The e-mail of the mapping transaction: a repeat must have the same (protocol decisions, section 8). */
  readonly email?: Sealed;
  readonly mappedAt: Instant;
};

/** A card that the consumer paid with, or received on, got an id for the app. */
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

/** The card was used again by its number: the newer reference replaces the older one, since it may have a later expiry. */
export type CardReferenceRenewed = {
  readonly type: 'CardReferenceRenewed';
  readonly data: CardReference & { readonly clientCardId: ClientCardId };
};

/** A sealed random sum, with a digest that distinguishes two sums of one card. */
export type RecordedSum = { readonly digest: KeyedDigest; readonly sealed: Sealed };

/** The cardholder read a random sum on the card's statement. */
export type RandomSumTold = {
  readonly type: 'RandomSumTold';
  readonly data: {
    readonly clientCardId: ClientCardId;
    /** Absent in events of version 1, which held it in clear: a sum that a reader of the log knows proves nothing (safety, T36). */
    readonly sum?: RecordedSum;
    readonly toldAt: Instant;
  };
};

export type WalletEvent = CardNamed | CardReferenceRenewed | RandomSumTold;
