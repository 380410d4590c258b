import {
  Secret,
  type Card,
  type CardHandle,
  type CardRefId,
  type CardUid,
  type Clock,
  type ContentDigest,
  type Deadline,
  type DestinationCard,
  type Instant,
  type MerchantLogin,
  type OrderId,
  type Random,
  type Sealed,
} from '@app/kernel';
import { kekIdOf, openCard, sealCard } from './card-blob';
import { rewrapRows, rowsUnderKeys, type Rewrapped } from './ring-sealer';
import {
  faceOf,
  receivingFaceOf,
  CardErased,
  type CardOwnership,
  type CardUidNumbers,
  type CardVault,
  type KeptCard,
  type KeptReceivingCard,
  type OrderKey,
  type OrderKeyId,
  type OrderSealer,
  type OwnerlessCard,
  type ServiceDigests,
  type ServiceKeyStream,
  type VaultReadiness,
} from '../port';
import { blindIndex, drawUid, KeyedDigests } from './digests';
import { open, Ivs } from '../keys/sealed-box';
import { indexKeyName, kekName, kekOf, knownAnswers, type KekId, type KeyRing, LiveKeyRing } from '../keys/key-ring';
import { orderKeyPlace, PlainOrderKey, readSealed, OrderKeyCache, OrderKeyPool } from '../keys/order-keys';
import type { VaultStore } from '../vault-store';

const HANDLE_BYTES = 16;
const CACHED_ORDER_KEYS_MAX = 10_000;
/** Placeholders for a card that only receives money; no real month is 0. */
const NOTHING_BUT_A_NUMBER = { expiryMonth: 0, expiryYear: 0, holder: '' } as const;
/** Maximum attempts to draw an unused uid. With 10 million cards one draw in a billion collides. */
const UID_DRAWS_MAX = 10;
const OWNERLESS_PER_QUERY_MAX = 1_000;
const KEY_RING_READ_GAP_MS = 1_000;

export interface EnvelopeCardVaultSettings {
  readonly store: VaultStore;
  readonly keyRing: KeyRing;
  /** Reads the current key ring; absent if it never changes. @throws KeyRingFault */
  readonly readKeyRing?: () => KeyRing;
  readonly clock: Clock;
  readonly random: Random;
  readonly orderKeysAhead?: number;
}

export interface KeyUse {
  /** The key that wraps new records. */
  readonly primary: KekId;
  readonly keys: readonly { readonly id: KekId; readonly cards: number; readonly orderKeys: number }[];
  readonly retired: readonly string[];
}

/** Cards, order keys and digests under one key ring, over stores that contain only ciphertext (safety, section 5.2). */
export class EnvelopeCardVault implements CardVault, OrderSealer, ServiceDigests, ServiceKeyStream, CardOwnership, CardUidNumbers {
  readonly #store: VaultStore;
  readonly #keyRing: LiveKeyRing;
  readonly #keyListeners: (() => void)[] = [];
  readonly #readKeyRing: (() => KeyRing) | undefined;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #ivs: Ivs;
  readonly #digests: KeyedDigests;
  readonly #pool: OrderKeyPool;
  readonly #cache: OrderKeyCache;
  #erasures = 0;
  #readAt = -Infinity;
  #wholeUnder: KekId | undefined;
  #isClosed = false;

  private constructor({ store, keyRing, readKeyRing, clock, random, orderKeysAhead }: EnvelopeCardVaultSettings) {
    this.#store = store;
    this.#keyRing = keyRing instanceof LiveKeyRing ? keyRing : new LiveKeyRing(keyRing);
    this.#readKeyRing = readKeyRing;
    this.#clock = clock;
    this.#random = random;
    this.#ivs = new Ivs(random);
    this.#cache = new OrderKeyCache(CACHED_ORDER_KEYS_MAX, clock);
    this.#digests = new KeyedDigests(keyRing);
    this.#pool = new OrderKeyPool({
      makeBlock: (count) => store.makeOrderKeys(count),
      ivs: this.#ivs,
      ...(orderKeysAhead === undefined ? {} : { keysAhead: orderKeysAhead }),
    });
  }

  /** Resolves when the keys are verified and the first order keys are durable. @throws KeyRingFault, VaultUnavailable */
  static async open(settings: EnvelopeCardVaultSettings): Promise<EnvelopeCardVault> {
    await settings.store.recognise(knownAnswers(settings.keyRing), settings.keyRing.retired);
    const vault = new EnvelopeCardVault(settings);
    await vault.#pool.stock();
    return vault;
  }

  onKeyRingTaken(listener: () => void): void {
    this.#keyListeners.push(listener);
  }

  /**
   * Loads the current key ring, which another program may have rotated; true if it changed.
   * @throws KeyRingFault if it is unreadable or another ring; the current one stays in use. VaultUnavailable
   */
  async refreshKeyRing(): Promise<boolean> {
    const ring = this.#readKeyRing?.();
    if (ring === undefined || !this.#keyRing.differsFrom(ring)) return false;
    this.#keyRing.assertSameRing(ring);
    await this.#store.recognise(knownAnswers(ring), ring.retired);
    this.#keyRing.take(ring);
    this.#wholeUnder = undefined;
    for (const listener of this.#keyListeners) listener();
    return true;
  }

  async rewrap(goesOn: () => boolean = () => true): Promise<Rewrapped> {
    const { primaryKekId } = this.#keyRing;
    if (this.#keyRing.keks.size < 2 || this.#wholeUnder === primaryKekId) return { cards: 0, orderKeys: 0 };
    const rewrapped = await rewrapRows(this.#store, this.#keyRing, this.#random, goesOn);
    // A process with the old ring may still add rows under the old key. Only a pass that finds none is the last.
    if (goesOn() && rewrapped.cards + rewrapped.orderKeys === 0) this.#wholeUnder = primaryKekId;
    return rewrapped;
  }

  async keyUse(): Promise<KeyUse> {
    const rows = await rowsUnderKeys(this.#store);
    const ids = [...new Set([...this.#keyRing.keks.keys(), ...rows.map(({ kekId }) => kekId)])].sort((one, other) => one - other);
    const keys = ids.map((id) => {
      const { cards = 0, orderKeys = 0 } = rows.find((one) => one.kekId === id) ?? {};
      return { id, cards, orderKeys };
    });
    return { primary: this.#keyRing.primaryKekId, keys, retired: [...this.#keyRing.retired] };
  }

  /** The row may be under a key that another process loaded first. Rereads of a missing or half-distributed file are limited to one a second. */
  async #learn(kekId: KekId | undefined): Promise<void> {
    if (kekId === undefined || this.#keyRing.keks.has(kekId)) return;
    const now = this.#clock.now();
    if (now >= this.#readAt && now < this.#readAt + KEY_RING_READ_GAP_MS) return;
    this.#readAt = now;
    await this.refreshKeyRing();
  }

  async keep(merchant: MerchantLogin, secret: Secret<Card>, owner: string, deadline?: Deadline): Promise<KeptCard> {
    const card = secret.reveal();
    return { ...(await this.#keep(merchant, card, owner, deadline)), face: faceOf(card) };
  }

  async keepReceiving(
    merchant: MerchantLogin,
    secret: Secret<DestinationCard>,
    owner: string,
    deadline?: Deadline,
  ): Promise<KeptReceivingCard> {
    const { number } = secret.reveal();
    return { ...(await this.#keep(merchant, { number, ...NOTHING_BUT_A_NUMBER }, owner, deadline)), face: receivingFaceOf(number) };
  }

  async #keep(merchant: MerchantLogin, card: Card, owner: string, deadline: Deadline | undefined): Promise<Omit<KeptCard, 'face'>> {
    const handle = Buffer.from(this.#random.bytes(HANDLE_BYTES)).toString('base64url') as CardHandle;
    const blob = sealCard(this.#keyRing, this.#random, merchant, handle, card);
    const indexes = this.#keyRing.indexKeys.map(({ id, key }) => ({ keyId: id, index: blindIndex(key, merchant, card.number) }));
    const createdAt = this.#clock.now();
    for (let draw = 0; draw < UID_DRAWS_MAX; draw++) {
      const { uid, number: uidNumber } = drawUid(this.#random);
      const inserted = await this.#store.insertCard({ merchant, handle, blob, owner, createdAt, indexes, uid, uidNumber }, deadline);
      if (inserted.kind === 'kept') return { handle, uid: inserted.uid };
    }
    throw new Error(`the random source repeats itself: ${UID_DRAWS_MAX} card uids were taken`);
  }

  async open(merchant: MerchantLogin, handle: CardHandle): Promise<Secret<Card>> {
    const card = await this.#open(merchant, handle);
    if (card.expiryMonth === NOTHING_BUT_A_NUMBER.expiryMonth) throw new Error(`card ${handle} only receives`);
    return new Secret(card);
  }

  async openReceiving(merchant: MerchantLogin, handle: CardHandle): Promise<Secret<DestinationCard>> {
    const { number } = await this.#open(merchant, handle);
    return new Secret({ number });
  }

  async #open(merchant: MerchantLogin, handle: CardHandle): Promise<Card> {
    const blob = await this.#store.findCard(merchant, handle);
    if (blob === undefined) throw unknownCard(handle);
    await this.#learn(kekIdOf(blob));
    const card = openCard(this.#keyRing, merchant, handle, blob);
    if (card === undefined) throw new CardErased(`card ${handle} was shredded`);
    return card;
  }

  async shred(merchant: MerchantLogin, handle: CardHandle): Promise<void> {
    if (!(await this.#store.shredCard(merchant, handle))) throw unknownCard(handle);
  }

  takeKeyNow(): OrderKey | undefined {
    const key = this.#pool.takeNow();
    if (key !== undefined) this.#cache.put(key);
    return key;
  }

  async takeKey(deadline?: Deadline): Promise<OrderKey> {
    const key = await this.#pool.take(deadline);
    this.#cache.put(key);
    return key;
  }

  /** @throws SealedBoxRefused if it was sealed for another merchant or field; Error if its key never existed */
  async unseal(merchant: MerchantLogin, field: string, sealed: Sealed, deadline?: Deadline): Promise<string | undefined> {
    const { id, box } = readSealed(sealed);
    const key = this.#cache.get(id) ?? (await this.#unwrap(id, deadline));
    return key?.unseal(merchant, field, box);
  }

  async erase(keys: readonly OrderKeyId[]): Promise<void> {
    const unknown = await this.#store.eraseOrderKeys(keys);
    this.#erasures++;
    for (const id of keys) this.#cache.forget(id);
    if (unknown.length > 0)
      throw new Error(`${unknown.length} order keys to erase are unknown, the first is ${unknown[0]}; the others are erased`);
  }

  keyNames(): readonly string[] {
    const { primaryKekId, keks, indexKeys } = this.#keyRing;
    const older = [...keks.keys()].filter((id) => id !== primaryKekId).sort((a, b) => a - b);
    return [primaryKekId, ...older].map(kekName).concat(indexKeys.map(({ id }) => indexKeyName(id)));
  }

  keyOf(sealed: Sealed): OrderKeyId {
    return readSealed(sealed).id;
  }

  contentDigest(parts: readonly string[]): ContentDigest {
    return this.#digests.contentDigest(parts);
  }

  cardRefId(merchant: MerchantLogin, orderId: OrderId, use: 'source' | 'destination'): CardRefId {
    return this.#digests.cardRefId(merchant, orderId, use);
  }

  keyStream(purpose: string, bytes: number): Uint8Array {
    return this.#digests.keyStream(purpose, bytes);
  }

  onceKey(kind: string, parts: readonly string[]): string {
    return this.#digests.onceKey(kind, parts);
  }

  async markOwned(merchant: MerchantLogin, handle: CardHandle): Promise<void> {
    if (!(await this.#store.markOwned(merchant, handle))) throw unknownCard(handle);
  }

  async ownerlessCards(before: Instant, limit: number): Promise<readonly OwnerlessCard[]> {
    if (!Number.isInteger(limit) || limit < 1 || limit > OWNERLESS_PER_QUERY_MAX) {
      throw new RangeError(`a limit of 1 to ${OWNERLESS_PER_QUERY_MAX} cards`);
    }
    return this.#store.ownerlessCards(before, limit);
  }

  async uidNumber(merchant: MerchantLogin, uid: CardUid): Promise<number> {
    const number = await this.#store.findUidNumber(merchant, uid);
    if (number === undefined) throw new Error(`no card uid ${uid}`);
    return number;
  }

  /** Also retries a failed refill of order keys, because without new orders nothing else would. */
  async ready(): Promise<VaultReadiness> {
    const problem = this.#isClosed ? 'the vault is closed' : ((await this.#store.problem()) ?? (await this.#pool.restock())?.message);
    return { isReady: problem === undefined, problem, orderKeysAhead: this.#pool.available };
  }

  /** Waits for earlier calls, then overwrites the keys in memory. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#pool.close();
    await this.#store.close();
    this.#cache.clear();
  }

  async #unwrap(id: OrderKeyId, deadline: Deadline | undefined): Promise<PlainOrderKey | undefined> {
    const erasures = this.#erasures;
    const stored = await this.#store.findOrderKey(id, deadline);
    if (stored === undefined) throw new Error(`order key ${id} was never made`);
    if (stored.wrapped.every((byte) => byte === 0)) return undefined;
    await this.#learn(stored.kekId);
    const bytes = open(kekOf(this.#keyRing, stored.kekId), stored.wrapped, orderKeyPlace(id, stored.kekId));
    const key = new PlainOrderKey(id, bytes, this.#ivs);
    if (erasures === this.#erasures) this.#cache.put(key); // otherwise it may have been erased during the read
    return key;
  }
}

const unknownCard = (handle: CardHandle): Error => new Error(`no card ${handle} of this merchant`);
