import type {
  Brand,
  Card,
  MaskedCard,
  CardHandle,
  CardRefId,
  CardUid,
  ContentDigest,
  Deadline,
  DestinationCard,
  Instant,
  MerchantLogin,
  OrderId,
  MaskedReceivingCard,
  Sealed,
  Secret,
} from '@app/kernel';

export interface KeptCard {
  readonly handle: CardHandle;
  readonly uid: CardUid;
  readonly face: MaskedCard;
}

/** A card of which the number alone was given. */
export interface KeptReceivingCard extends Omit<KeptCard, 'face'> {
  readonly face: MaskedReceivingCard;
}

/**
 * Card data under envelope encryption; nothing else ever sees a card number at rest (safety, section 5.2). A deadline is that of whoever it is done for:
 * over, VaultUnavailable is thrown, and no connection or place in a queue is held.
 */
export interface CardVault {
  /** Durable when it resolves; `owner` is the stream that will name it. The same number gives the same uid per merchant, each call a new handle. @throws VaultUnavailable */
  keep(merchant: MerchantLogin, card: Secret<Card>, owner: string, deadline?: Deadline): Promise<KeptCard>;
  /** As `keep`, of a card that only receives: the same number gives the same uid. @throws VaultUnavailable */
  keepReceiving(merchant: MerchantLogin, card: Secret<DestinationCard>, owner: string, deadline?: Deadline): Promise<KeptReceivingCard>;
  /** @throws CardErased, VaultUnavailable; Error for a card that only receives: nothing can be charged to it */
  open(merchant: MerchantLogin, handle: CardHandle): Promise<Secret<Card>>;
  /** Any card's number, to receive. @throws CardErased, VaultUnavailable */
  openReceiving(merchant: MerchantLogin, handle: CardHandle): Promise<Secret<DestinationCard>>;
  /** Overwrites and deletes the card's wrapped key: what is left is noise. Twice is once. */
  shred(merchant: MerchantLogin, handle: CardHandle): Promise<void>;
}

export type OrderKeyId = Brand<string, 'OrderKeyId'>;

/** An order's own key, durable before it is handed out, used for that order alone. */
export interface OrderKey {
  readonly id: OrderKeyId;
  /** Encrypts under this key; `field` and merchant are bound in, so that no blob can be moved to another place. Synchronous: the acceptance path. */
  seal(merchant: MerchantLogin, field: string, plaintext: string): Sealed;
}

/** Personal data and free text, sealed under a key per order (architecture, rule 6). A deadline as of `CardVault`. */
export interface OrderSealer {
  /** From the block made ahead: no write of its own in the ordinary case. @throws VaultUnavailable */
  takeKey(deadline?: Deadline): Promise<OrderKey>;
  /** Undefined once the key was erased; where another process erased it, a minute later at most. @throws VaultUnavailable */
  unseal(merchant: MerchantLogin, field: string, sealed: Sealed, deadline?: Deadline): Promise<string | undefined>;
  /** Erases every key named; what they sealed is gone. */
  erase(keys: readonly OrderKeyId[]): Promise<void>;
  /** The key that sealed this. */
  keyOf(sealed: Sealed): OrderKeyId;
}

/** Personal data of a server that keeps no vault: sealed under its key ring, with nothing stored beside and nothing to erase one by one. */
export interface TextSealer {
  /** `field` and merchant are bound in, so that no text can be moved to another place. */
  seal(merchant: MerchantLogin, field: string, plaintext: string): Sealed;
  /** @throws Error where it was sealed for another place or under another ring */
  unseal(merchant: MerchantLogin, field: string, sealed: Sealed): string;
}

/** Digests under the service's own key, which never leaves the vault's code; each purpose has a key of its own. */
export interface ServiceDigests {
  /** Of a request's content, part by part (length-prefixed): equal requests, equal digests. */
  contentDigest(parts: readonly string[]): ContentDigest;
  /** The reference of this order's card, the same whenever asked (protocol decisions, section 4). */
  cardRefId(merchant: MerchantLogin, orderId: OrderId, use: 'source' | 'destination'): CardRefId;
  /** Look-up key of a nonce, token or idempotency key, hex. */
  onceKey(kind: string, parts: readonly string[]): string;
}

/** What looks like chance and is the same for ever, for whoever holds the service key. */
export interface ServiceKeyStream {
  /** The first `bytes` of the stream of this purpose. */
  keyStream(purpose: string, bytes: number): Uint8Array;
}

export interface OwnerlessCard {
  readonly merchant: MerchantLogin;
  readonly handle: CardHandle;
  /** As given to `keep`: the stream that names the card, if it ever came to be. */
  readonly owner: string;
}

/**
 * Cards whose order never came to be (safety, section 2.2, P2 to P3): kept before the acceptance was appended, and the process died between.
 * Whoever sweeps asks the log before it shreds one. @throws VaultUnavailable
 */
export interface CardOwnership {
  /** An accepted order holds this card. Twice is once; late is harmless, for the sweeper asks the log. */
  markOwned(merchant: MerchantLogin, handle: CardHandle): Promise<void>;
  /** Kept before that instant, without an owner so far; the eldest first, at most `limit` (1 to 1,000). */
  ownerlessCards(before: Instant, limit: number): Promise<readonly OwnerlessCard[]>;
}

/** The device API wants an integer (interface, section 2.6) where the merchant API has `unq-card-ref-id`; each names the same number. */
export interface CardUidNumbers {
  /** `uniqueReferenceCardId`, in [1e8, 2^53). @throws VaultUnavailable; Error where the merchant has no such uid */
  uidNumber(merchant: MerchantLogin, uid: CardUid): Promise<number>;
}

export interface VaultReadiness {
  readonly isReady: boolean;
  /** Why not, in one line for the log: it may name the server or the file, and holds no data. */
  readonly problem: string | undefined;
  /** Durable order keys in stock. */
  readonly orderKeysAhead: number;
}

/**
 * Nothing was opened, and nothing was kept that anybody knows of: a row whose answer was lost has no name outside the vault, and is swept or
 * never used. The caller may try again or answer code 20.
 */
export class VaultUnavailable extends Error {
  override readonly name = 'VaultUnavailable';
}

/** Of VaultUnavailable, where the deadline was over. */
export const TIME_IS_OVER = 'the time of the request is over';

/** The card's key was shredded, for good. */
export class CardErased extends Error {
  override readonly name = 'CardErased';
}
