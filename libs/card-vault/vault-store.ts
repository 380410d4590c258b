import type { CardHandle, CardUid, Deadline, Instant, MerchantLogin } from '@app/kernel';
import type { KekId, KnownAnswer } from './keys/key-ring';
import type { OrderKeyId, OwnerlessCard } from './port';

interface CardIndex {
  readonly keyId: number;
  readonly index: Uint8Array;
}

export interface NewCard {
  readonly merchant: MerchantLogin;
  /** A new handle; a known one is refused (safety, F42). */
  readonly handle: CardHandle;
  readonly blob: Uint8Array;
  readonly owner: string;
  readonly createdAt: Instant;
  /** The same number under each index key; a new number is stored under the first. */
  readonly indexes: readonly CardIndex[];
  readonly uid: CardUid;
  readonly uidNumber: number;
}

export type Inserted = { readonly kind: 'kept'; readonly uid: CardUid } | { readonly kind: 'uid-taken' };

export interface OrderKeyBlock {
  readonly id: Uint8Array;
  readonly keys: Uint8Array;
}

export interface StoredOrderKey {
  readonly kekId: KekId;
  /** Zeros once the key was erased. */
  readonly wrapped: Uint8Array;
}

/** `key` is its position in the order of the rows. */
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

/** Replaced only if unchanged since the read. */
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
 * The vault's rows on any database; a store sees only ciphertext and indexes. Writes are durable when they resolve.
 * Each method may throw VaultUnavailable, always after its deadline; a write in progress may then have been stored.
 */
export interface VaultStore {
  /** Records keys seen for the first time. @throws KeyRingFault if a recorded key is different, or missing and not retired */
  recognise(answers: readonly KnownAnswer[], retired: ReadonlySet<string>): Promise<void>;
  insertCard(card: NewCard, deadline?: Deadline): Promise<Inserted>;
  findCard(merchant: MerchantLogin, handle: CardHandle): Promise<Uint8Array | undefined>;
  /** Permanently overwrites the blob with zeros; false if there is no such card. SQLite also clears its log; each store documents what remains. */
  shredCard(merchant: MerchantLogin, handle: CardHandle): Promise<boolean>;
  markOwned(merchant: MerchantLogin, handle: CardHandle): Promise<boolean>;
  /** Stored before that instant, neither owned nor shredded; the oldest first. */
  ownerlessCards(before: Instant, limit: number): Promise<readonly OwnerlessCard[]>;
  findUidNumber(merchant: MerchantLogin, uid: CardUid): Promise<number | undefined>;
  makeOrderKeys(count: number): Promise<OrderKeyBlock>;
  findOrderKey(id: OrderKeyId, deadline?: Deadline): Promise<StoredOrderKey | undefined>;
  eraseOrderKeys(ids: readonly OrderKeyId[]): Promise<readonly OrderKeyId[]>;
  /** A page of all cards, shredded ones too, in an order that new rows do not change. @param after `key` of the previous page's last row */
  cardRows(after: string | undefined, limit: number): Promise<readonly StoredCardRow[]>;
  orderKeyRows(after: string | undefined, limit: number): Promise<readonly StoredOrderKeyRow[]>;
  /** In one transaction; skips rows that changed since the read. Lengths must not change. */
  replaceCards(rows: readonly RewrappedCard[]): Promise<number>;
  replaceOrderKeys(rows: readonly RewrappedOrderKey[]): Promise<number>;
  /** Checks within a time limit that the store can read and write; undefined if it can. */
  problem(): Promise<string | undefined>;
  close(): Promise<void>;
}
