import type {
  Brand,
  Card,
  CardFace,
  CardHandle,
  CardRefId,
  CardUid,
  ContentDigest,
  MerchantLogin,
  OrderId,
  Sealed,
  Secret,
} from '@app/kernel';

export interface KeptCard {
  readonly handle: CardHandle;
  readonly uid: CardUid;
  readonly face: CardFace;
}

/** Card data under envelope encryption; nothing else ever sees a card number at rest (safety, section 5.2). */
export interface CardVault {
  /** Durable when it resolves. The same number gives the same uid per merchant, each call a new handle. @throws VaultUnavailable */
  keep(merchant: MerchantLogin, card: Secret<Card>): Promise<KeptCard>;
  /** @throws CardErased, VaultUnavailable */
  open(merchant: MerchantLogin, handle: CardHandle): Promise<Secret<Card>>;
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

/** Personal data and free text, sealed under a key per order (architecture, rule 6). */
export interface OrderSealer {
  /** From the block made ahead: no write of its own in the ordinary case. @throws VaultUnavailable */
  takeKey(): Promise<OrderKey>;
  /** Undefined once the key was erased. @throws VaultUnavailable */
  unseal(merchant: MerchantLogin, field: string, sealed: Sealed): Promise<string | undefined>;
  /** Erases every key named; what they sealed is gone. */
  erase(keys: readonly OrderKeyId[]): Promise<void>;
  /** The key that sealed this. */
  keyOf(sealed: Sealed): OrderKeyId;
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

/** Nothing was kept or opened; the caller may try again or answer code 20. */
export class VaultUnavailable extends Error {
  override readonly name = 'VaultUnavailable';
}

/** The card's key was shredded, for good. */
export class CardErased extends Error {
  override readonly name = 'CardErased';
}
