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
  CardBrand,
} from '@app/kernel';

export interface KeptCard {
  readonly handle: CardHandle;
  readonly uid: CardUid;
  readonly face: MaskedCard;
}

export interface KeptReceivingCard extends Omit<KeptCard, 'face'> {
  readonly face: MaskedReceivingCard;
}

/**
 * Card data under envelope encryption; card numbers are stored nowhere else (safety, section 5.2).
 * After the caller's deadline, VaultUnavailable is thrown, and no connection or queue place is held.
 */
export interface CardVault {
  /** Durable when it resolves; `owner` is the stream that will name it. Equal numbers of a merchant get the same uid, but each call a new handle. @throws VaultUnavailable */
  keep(merchant: MerchantLogin, card: Secret<Card>, owner: string, deadline?: Deadline): Promise<KeptCard>;
  /** As `keep`, for a card that only receives. @throws VaultUnavailable */
  keepReceiving(merchant: MerchantLogin, card: Secret<DestinationCard>, owner: string, deadline?: Deadline): Promise<KeptReceivingCard>;
  /** @throws CardErased, VaultUnavailable; Error for a card that only receives, which cannot be charged */
  open(merchant: MerchantLogin, handle: CardHandle): Promise<Secret<Card>>;
  /** Any card's number, as the destination of a transfer. @throws CardErased, VaultUnavailable */
  openReceiving(merchant: MerchantLogin, handle: CardHandle): Promise<Secret<DestinationCard>>;
  /** Overwrites the card's wrapped key, so that the rest cannot be read. Idempotent. */
  shred(merchant: MerchantLogin, handle: CardHandle): Promise<void>;
}

export type OrderKeyId = Brand<string, 'OrderKeyId'>;

/** Key of exactly one order, durable before it is issued. */
export interface OrderKey {
  readonly id: OrderKeyId;
  /** Encrypts under this key. `field` and merchant are bound in, so that no blob can be moved to another place. Synchronous, for the acceptance path. */
  seal(merchant: MerchantLogin, field: string, plaintext: string): Sealed;
}

/** Personal data and free text, sealed under a key per order (architecture, rule 6). Deadlines work as in `CardVault`. */
export interface OrderSealer {
  /** Takes a key from the stock, usually without a write. @throws VaultUnavailable */
  takeKey(deadline?: Deadline): Promise<OrderKey>;
  /** Undefined after the key was erased; up to a minute later if another process erased it. @throws VaultUnavailable */
  unseal(merchant: MerchantLogin, field: string, sealed: Sealed, deadline?: Deadline): Promise<string | undefined>;
  /** Erases the keys permanently, and so the texts sealed under them. */
  erase(keys: readonly OrderKeyId[]): Promise<void>;
  keyOf(sealed: Sealed): OrderKeyId;
}

export interface TextSealer {
  seal(merchant: MerchantLogin, field: string, plaintext: string): Sealed;
  /** @throws Error if it was sealed for another place or under another ring */
  unseal(merchant: MerchantLogin, field: string, sealed: Sealed): string;
}

/** Digests under the service key, which never leaves the vault's code. Each purpose has a separate key. */
export interface ServiceDigests {
  /** Equal for equal requests. */
  contentDigest(parts: readonly string[]): ContentDigest;
  /** Reference of this order's card; deterministic (protocol decisions, section 4). */
  cardRefId(merchant: MerchantLogin, orderId: OrderId, use: 'source' | 'destination'): CardRefId;
  /** Look-up key of a nonce, token or idempotency key, hex. */
  onceKey(kind: string, parts: readonly string[]): string;
}

/** A pseudo-random stream, fixed by service key and purpose. */
export interface ServiceKeyStream {
  keyStream(purpose: string, bytes: number): Uint8Array;
}

export interface OwnerlessCard {
  readonly merchant: MerchantLogin;
  readonly handle: CardHandle;
  readonly owner: string;
}

/**
 * Cards whose order was never accepted (safety, section 2.2, P2 to P3): the process died between storing the card and appending the acceptance.
 * The sweeper must check the log before it shreds one. @throws VaultUnavailable
 */
export interface CardOwnership {
  /** Records that an accepted order uses this card. Idempotent, and may be late, since the sweeper checks the log. */
  markOwned(merchant: MerchantLogin, handle: CardHandle): Promise<void>;
  /** Cards stored before that instant without an owner, oldest first, at most `limit` (1 to 1,000). */
  ownerlessCards(before: Instant, limit: number): Promise<readonly OwnerlessCard[]>;
}

export interface CardUidNumbers {
  /** `uniqueReferenceCardId`, in [1e8, 2^53). @throws VaultUnavailable; Error if the merchant has no such uid */
  uidNumber(merchant: MerchantLogin, uid: CardUid): Promise<number>;
}

export interface VaultReadiness {
  readonly isReady: boolean;
  /** Reason in one line, for the log. It may name the server or the file, but contains no data. */
  readonly problem: string | undefined;
  readonly orderKeysAhead: number;
}

/** Nothing was read, or stored under a known handle. The caller may retry or answer with code 20. */
export class VaultUnavailable extends Error {
  override readonly name = 'VaultUnavailable';
}

export const TIME_IS_OVER = 'the time of the request is over';

/** The card's key was shredded for good. */
export class CardErased extends Error {
  override readonly name = 'CardErased';
}

const BIN_DIGITS = 6;
const LAST_DIGITS = 4;
/** Numbers with fewer than 14 digits show a shorter BIN, because BIN and last four together would reveal the number. */
const HIDDEN_DIGITS_MIN = 4;

const SCHEMES: readonly (readonly [from: number, to: number, scheme: CardBrand])[] = [
  [220_000, 220_499, 'MIR'],
  [222_100, 272_099, 'MASTERCARD'],
  [300_000, 305_999, 'DINERS'],
  [309_500, 309_599, 'DINERS'],
  [340_000, 349_999, 'AMEX'],
  [352_800, 358_999, 'JCB'],
  [360_000, 369_999, 'DINERS'],
  [370_000, 379_999, 'AMEX'],
  [380_000, 399_999, 'DINERS'],
  [400_000, 499_999, 'VISA'],
  [510_000, 559_999, 'MASTERCARD'],
  [601_100, 601_199, 'DISCOVER'],
  [644_000, 659_999, 'DISCOVER'],
  [620_000, 629_999, 'UNIONPAY'],
  [500_000, 509_999, 'MAESTRO'],
  [560_000, 589_999, 'MAESTRO'],
  [600_000, 699_999, 'MAESTRO'],
];
const OTHER_SCHEME: CardBrand = 'UNKNOWN';

const schemeOf = (number: string): CardBrand => {
  const start = Number(number.slice(0, BIN_DIGITS));
  return SCHEMES.find(([from, to]) => start >= from && start <= to)?.[2] ?? OTHER_SCHEME;
};

/** The parts of a card's number that may be shown (safety, section 5.1); `brand` has the values of card-type (interface, section 2.5). */
export const receivingFaceOf = (number: string): Pick<MaskedReceivingCard, 'bin' | 'lastFour' | 'brand'> => ({
  bin: number.slice(0, Math.max(0, Math.min(BIN_DIGITS, number.length - LAST_DIGITS - HIDDEN_DIGITS_MIN))),
  lastFour: number.slice(-LAST_DIGITS),
  brand: schemeOf(number),
});

export const faceOf = ({ number, expiryMonth, expiryYear }: Card): MaskedCard => ({ ...receivingFaceOf(number), expiryMonth, expiryYear });
