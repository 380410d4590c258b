import { createHmac, timingSafeEqual } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { Card, CardHandle, CardUid, Clock, MerchantLogin, Random } from '@app/kernel';
import { KeyRingFault, knownAnswers, type KeyRing } from '../key-ring/key-ring';
import type { OrderKeyId } from '../port';
import { lp } from '../sealed-box/length-prefix';
import { IV_BYTES } from '../sealed-box/sealed-box';
import type { CardIndex, CarriedCard, StoredCardRow, StoredOrderKey, StoredUid, VaultStore } from '../vault-store';
import { openCard, rewrapCard } from './card-blob';
import { blindIndex } from './card-uid';
import { isErasedKey, rewrapOrderKey, unwrapOrderKey } from './order-keys/order-key-row';

/** Rows of one transaction, few enough not to delay a card behind it. */
const CARRIED_PER_BATCH = 100;
/** Rows wrapped without a pause. */
const WRAPPED_PER_TURN = 16;

/** A vault's rows with the ring that they lie under. */
export interface VaultSide {
  readonly store: VaultStore;
  readonly keyRing: KeyRing;
}

export interface MerchantCarrierSettings {
  readonly source: VaultSide;
  readonly target: VaultSide;
  readonly merchant: MerchantLogin;
  readonly clock: Clock;
  readonly random: Pick<Random, 'bytes'>;
  /** Asked between two batches. */
  readonly isStopRequested: () => boolean;
}

export interface CarriedRows {
  /** Rows that this run wrote. */
  carried: number;
  /** Rows that the target held before, equal. */
  held: number;
  /** Of both: rows whose key is destroyed on either side, and is on both now. */
  destroyed: number;
}

/** Something that the target holds in another way, or the source lacks. It names no card number and no key. */
export interface CarryFault {
  readonly what: 'card' | 'uid' | 'order-key';
  /** A handle, a uid or a key id. */
  readonly name: string;
  readonly text: string;
}

const newCount = (): CarriedRows => ({ carried: 0, held: 0, destroyed: 0 });
const isZeros = (blob: Uint8Array): boolean => blob.every((byte) => byte === 0);
const isSameCard = (one: Card, other: Card): boolean =>
  one.number === other.number &&
  one.expiryMonth === other.expiryMonth &&
  one.expiryYear === other.expiryYear &&
  one.holder === other.holder;

/** Whether two rings belong to cells of one installation. */
export const haveOneServiceKey = (one: KeyRing, other: KeyRing): boolean => {
  const answerOf = (ring: KeyRing): Uint8Array => knownAnswers(ring).find(({ name }) => name === 'service')?.answer ?? new Uint8Array(0);
  const [a, b] = [answerOf(one), answerOf(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};

/**
 * Carries what one merchant has in a vault into the vault of another cell, row by row: unwrapped under the source's ring, wrapped under the target's
 * primary KEK, and indexed by the target's index key. Handles, uids and key ids stay, so that every event finds what it names. It goes by what each row
 * says and adds only where a place is free, so that it may be repeated, and two of it do no harm. What is destroyed on one side is destroyed on both. It
 * reads the source only.
 */
export class MerchantCarrier {
  readonly cards = newCount();
  readonly orderKeys = newCount();
  /** Ids of card numbers that this run wrote. */
  uids = 0;
  readonly #settings: MerchantCarrierSettings;
  readonly #faults = new Map<string, CarryFault>();

  private constructor(settings: MerchantCarrierSettings) {
    this.#settings = settings;
  }

  /** @throws KeyRingFault where a ring is not that of its vault, or the rings have different service keys; VaultUnavailable */
  static async open(settings: MerchantCarrierSettings): Promise<MerchantCarrier> {
    const { source, target } = settings;
    if (!haveOneServiceKey(source.keyRing, target.keyRing)) {
      throw new KeyRingFault(
        'the two key rings have different service keys: the other cell would not know a repeated request, a nonce or a card reference again',
      );
    }
    for (const { store, keyRing } of [source, target]) await store.recognise(knownAnswers(keyRing), keyRing.retired);
    return new MerchantCarrier(settings);
  }

  get faults(): readonly CarryFault[] {
    return [...this.#faults.values()];
  }

  /**
   * All cards of the merchant, and the ids of their numbers. False where it was stopped before the end.
   * @throws VaultUnavailable; BoxRefused for a row that was changed; KeyRingFault where a ring was rotated meanwhile: another run goes on
   */
  async carryCards(): Promise<boolean> {
    const { source, merchant, isStopRequested } = this.#settings;
    for (let after: string | undefined; ;) {
      if (isStopRequested()) return false;
      const page = await source.store.cardRows(after, CARRIED_PER_BATCH);
      const rows = page.filter((row) => row.merchant === merchant);
      if (rows.length > 0) await this.#carryPage(rows);
      after = page.at(-1)?.key;
      if (page.length < CARRIED_PER_BATCH) break;
      await turn();
    }
    return this.#carryUidsWithoutCard();
  }

  /** The keys of these texts; a batch of any size. @throws as `carryCards` */
  async carryOrderKeys(ids: readonly OrderKeyId[]): Promise<void> {
    const { source, target, random } = this.#settings;
    const read = (store: VaultStore) => Promise.all(ids.map((id) => store.findOrderKey(id)));
    const [ours, theirs] = [await read(source.store), await read(target.store)];
    const added = new Map<OrderKeyId, StoredOrderKey>();
    const erased: OrderKeyId[] = [];
    for (const [at, id] of ids.entries()) {
      const [here, there] = [ours[at], theirs[at]];
      if (here === undefined) this.#fault('order-key', id, 'the source’s vault does not have it');
      else if (there !== undefined) this.#countHeldKey(id, here, there, erased);
      else if (isErasedKey(here)) added.set(id, { kekId: target.keyRing.primaryKekId, wrapped: here.wrapped });
      else added.set(id, rewrapOrderKey(target.keyRing, random.bytes(IV_BYTES), id, here, source.keyRing));
      if (at % WRAPPED_PER_TURN === WRAPPED_PER_TURN - 1) await turn();
    }
    if (erased.length > 0) await target.store.eraseOrderKeys(erased);
    if (added.size === 0) return;
    await target.store.addOrderKeys([...added].map(([id, row]) => ({ id, ...row })));
    for (const id of added.keys()) {
      const [here, there] = [ours[ids.indexOf(id)], await target.store.findOrderKey(id)];
      if (here === undefined || there === undefined || !this.#isSameKey(id, here, there)) {
        this.#fault('order-key', id, 'the target holds another key under this id');
        continue;
      }
      this.orderKeys.carried += 1;
      if (isErasedKey(here)) this.orderKeys.destroyed += 1;
    }
  }

  #countHeldKey(id: OrderKeyId, here: StoredOrderKey, there: StoredOrderKey, erased: OrderKeyId[]): void {
    if (isErasedKey(here) && !isErasedKey(there)) erased.push(id);
    if (isErasedKey(here) || isErasedKey(there)) this.orderKeys.destroyed += 1;
    else if (!this.#isSameKey(id, here, there)) return this.#fault('order-key', id, 'the target holds another key under this id');
    this.orderKeys.held += 1;
  }

  #isSameKey(id: OrderKeyId, here: StoredOrderKey, there: StoredOrderKey): boolean {
    if (isErasedKey(here) || isErasedKey(there)) return isErasedKey(here) === isErasedKey(there);
    const { source, target } = this.#settings;
    const [one, other] = [unwrapOrderKey(source.keyRing, id, here), unwrapOrderKey(target.keyRing, id, there)];
    const isSame = one.equals(other);
    one.fill(0);
    other.fill(0);
    return isSame;
  }

  async #carryPage(rows: readonly StoredCardRow[]): Promise<void> {
    const { source, target, merchant, clock, random } = this.#settings;
    const marks = new Map(
      (await source.store.ownerlessAmong(rows.map(({ handle }) => handle))).map(({ handle, owner }) => [handle, owner]),
    );
    const added: CarriedCard[] = [];
    for (const { handle, blob } of rows) {
      const card = openCard(source.keyRing, merchant, handle, blob);
      if (card !== undefined && !(await this.#carryUid(handle, card.number))) continue;
      const there = await target.store.findCard(merchant, handle);
      if (there !== undefined) {
        await this.#compareCard(handle, card, there);
        continue;
      }
      const carried =
        card === undefined ? blob : rewrapCard(target.keyRing, random.bytes(IV_BYTES), merchant, handle, blob, source.keyRing);
      const owner = marks.get(handle);
      // As if it came now: its order may not be in the target's log yet, and the sweep leaves it alone for a while.
      const ownerless = owner === undefined ? {} : { ownerless: { owner, createdAt: clock.now() } };
      added.push({ merchant, handle, blob: carried, ...ownerless });
    }
    if (added.length === 0) return;
    await target.store.addCards(added);
    const byHandle = new Map(rows.map((row) => [row.handle, row.blob]));
    for (const { handle } of added) {
      const there = await target.store.findCard(merchant, handle);
      const card = openCard(source.keyRing, merchant, handle, byHandle.get(handle) ?? new Uint8Array(0));
      if (there === undefined || !this.#isCardThere(handle, card, there)) {
        this.#fault('card', handle, 'the target holds another card under this handle');
        continue;
      }
      this.cards.carried += 1;
      if (card === undefined) this.cards.destroyed += 1;
    }
  }

  async #compareCard(handle: CardHandle, card: Card | undefined, there: Uint8Array): Promise<void> {
    const { target, merchant } = this.#settings;
    if (card === undefined && !isZeros(there)) await target.store.shredCard(merchant, handle);
    if (card === undefined || isZeros(there)) this.cards.destroyed += 1;
    else if (!this.#isCardThere(handle, card, there)) return this.#fault('card', handle, 'the target holds another card under this handle');
    this.cards.held += 1;
  }

  #isCardThere(handle: CardHandle, card: Card | undefined, there: Uint8Array): boolean {
    const { target, merchant } = this.#settings;
    const other = openCard(target.keyRing, merchant, handle, there);
    return card === undefined || other === undefined ? card === other : isSameCard(card, other);
  }

  /** False where the target knows the number by another id, or another number by this id. */
  async #carryUid(handle: CardHandle, number: string): Promise<boolean> {
    const { source, target, merchant } = this.#settings;
    const [known] = await source.store.uidsAt(
      merchant,
      indexesOf(source.keyRing, merchant, number).map(({ index }) => index),
    );
    if (known === undefined) {
      this.#fault('card', handle, 'the source’s vault has no id for its number');
      return false;
    }
    const indexes = indexesOf(target.keyRing, merchant, number);
    const first = indexes[0];
    if (first === undefined) throw new Error('a ring without an index key');
    const find = async (): Promise<StoredUid | undefined> =>
      (
        await target.store.uidsAt(
          merchant,
          indexes.map(({ index }) => index),
        )
      )[0];
    const before = await find();
    const isNew =
      before === undefined && (await target.store.addUids(merchant, [{ ...first, uid: known.uid, uidNumber: known.uidNumber }])) === 1;
    const there = before ?? (await find());
    // A number whose cards were all shredded, and that came again, lies under the index that stands in for it.
    const isThere =
      there === undefined
        ? (await target.store.findUidNumber(merchant, known.uid)) === known.uidNumber
        : there.uid === known.uid && there.uidNumber === known.uidNumber;
    if (isNew) this.uids += 1;
    if (!isThere) this.#fault('uid', known.uid, 'the target knows this card number by another id, or another number by this id');
    return isThere;
  }

  /**
   * Ids whose cards are all shredded: events name them, and no number can be had from them any more. Their index in the target is of no number, so a card
   * of that number gets a new id there.
   */
  async #carryUidsWithoutCard(): Promise<boolean> {
    const { source, target, merchant, isStopRequested } = this.#settings;
    const [key] = target.keyRing.indexKeys;
    for (let after: Uint8Array | undefined; ;) {
      if (isStopRequested()) return false;
      const page = await source.store.uidRows(merchant, after, CARRIED_PER_BATCH);
      for (const { uid, uidNumber } of page) {
        const there = await target.store.findUidNumber(merchant, uid);
        if (there === uidNumber) continue;
        const isTaken = there !== undefined;
        const standIn = { keyId: key.id, index: indexWithoutNumber(key.key, merchant, uid) };
        const isAdded = !isTaken && (await target.store.addUids(merchant, [{ ...standIn, uid, uidNumber }])) === 1;
        if (isAdded) this.uids += 1;
        else this.#fault('uid', uid, 'the target has this id, or its number, for another card');
      }
      after = page.at(-1)?.index;
      if (page.length < CARRIED_PER_BATCH) return true;
      await turn();
    }
  }

  #fault(what: CarryFault['what'], name: string, text: string): void {
    this.#faults.set(`${what} ${name}`, { what, name, text });
  }
}

const indexesOf = (ring: KeyRing, merchant: MerchantLogin, number: string): readonly CardIndex[] =>
  ring.indexKeys.map(({ id, key }) => ({ keyId: id, index: blindIndex(key, merchant, number) }));

const indexWithoutNumber = (key: KeyRing['indexKeys'][number]['key'], merchant: MerchantLogin, uid: CardUid): Buffer =>
  createHmac('sha256', key)
    .update(lp(['uid-without-card', merchant, uid]))
    .digest();
