import type { CardHandle, CardUid, Deadline, Instant, MerchantLogin } from '@app/kernel';
import type { KekId, KnownAnswer } from './keys/key-ring';
import type { OrderKeyId, OwnerlessCard } from './port';

/** An index made with one of the ring's index keys. */
interface CardIndex {
  readonly keyId: number;
  readonly index: Uint8Array;
}

export interface NewCard {
  readonly merchant: MerchantLogin;
  /** A new handle; a known one is refused (safety, F42). */
  readonly handle: CardHandle;
  readonly blob: Uint8Array;
  /** The stream of the order that will hold the card. */
  readonly owner: string;
  readonly createdAt: Instant;
  /** The same number under each index key; a new number is stored under the first. */
  readonly indexes: readonly CardIndex[];
  /** Used where the number is new to the merchant. */
  readonly uid: CardUid;
  readonly uidNumber: number;
}

export type Inserted = { readonly kind: 'kept'; readonly uid: CardUid } | { readonly kind: 'uid-taken' };

/** Durable keys and, in the clear, for this process alone: 32 bytes each, the ids by `orderKeyId` of the block and the position. */
export interface OrderKeyBlock {
  readonly id: Uint8Array;
  readonly keys: Uint8Array;
}

export interface StoredOrderKey {
  readonly kekId: KekId;
  /** Zeros once the key was erased. */
  readonly wrapped: Uint8Array;
}

/** A card's row as it lies under some KEK; `key` names its place in the order of the rows. */
export interface StoredCardRow {
  readonly key: string;
  readonly merchant: MerchantLogin;
  readonly handle: CardHandle;
  readonly blob: Uint8Array;
}

export interface StoredOrderKeyRow extends StoredOrderKey {
  readonly key: string;
  readonly id: OrderKeyId;
}

/** A row that is written again under another KEK, where it is still what was read. */
export interface RewrappedCard {
  readonly handle: CardHandle;
  readonly was: Uint8Array;
  readonly becomes: Uint8Array;
}

export interface RewrappedOrderKey {
  readonly id: OrderKeyId;
  readonly was: Uint8Array;
  readonly becomes: StoredOrderKey;
}

/**
 * The vault's rows on any database; a store sees only ciphertext and indexes. Every write is durable when it resolves.
 * Each method may throw VaultUnavailable, and does so once its deadline has passed; a write under way may then have been stored.
 */
export interface VaultStore {
  /** Remembers keys seen for the first time. @throws KeyRingFault where one differs from the key of that name that wrote here, or is missing and not retired */
  recognise(answers: readonly KnownAnswer[], retired: ReadonlySet<string>): Promise<void>;
  insertCard(card: NewCard, deadline?: Deadline): Promise<Inserted>;
  findCard(merchant: MerchantLogin, handle: CardHandle): Promise<Uint8Array | undefined>;
  /**
   * Overwrites the blob with zeros, for good once it resolves. What the database keeps beside its tables is cleared with it where that can be
   * done (SQLite); each store says what is left. False where there is no such card.
   */
  shredCard(merchant: MerchantLogin, handle: CardHandle): Promise<boolean>;
  /** False where there is no such card. */
  markOwned(merchant: MerchantLogin, handle: CardHandle): Promise<boolean>;
  /** Kept before that instant, neither owned nor shredded; the eldest first. */
  ownerlessCards(before: Instant, limit: number): Promise<readonly OwnerlessCard[]>;
  findUidNumber(merchant: MerchantLogin, uid: CardUid): Promise<number | undefined>;
  makeOrderKeys(count: number): Promise<OrderKeyBlock>;
  findOrderKey(id: OrderKeyId, deadline?: Deadline): Promise<StoredOrderKey | undefined>;
  /** Overwrites like `shredCard`; returns unknown ids. */
  eraseOrderKeys(ids: readonly OrderKeyId[]): Promise<readonly OrderKeyId[]>;
  /** A page of all cards, shredded ones too, in an order that new ones do not disturb. @param after `key` of the last of the page before */
  cardRows(after: string | undefined, limit: number): Promise<readonly StoredCardRow[]>;
  /** The same of order keys, erased ones too. */
  orderKeyRows(after: string | undefined, limit: number): Promise<readonly StoredOrderKeyRow[]>;
  /** In one transaction; a row that was shredded or written meanwhile stays as it is. Returns how many were replaced. Of one length each. */
  replaceCards(rows: readonly RewrappedCard[]): Promise<number>;
  replaceOrderKeys(rows: readonly RewrappedOrderKey[]): Promise<number>;
  /** Checks within a time limit that the store can read and write; undefined where it can. */
  problem(): Promise<string | undefined>;
  close(): Promise<void>;
}
