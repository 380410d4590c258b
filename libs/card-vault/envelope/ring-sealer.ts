import { createSecretKey, type KeyObject } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { BoundedMap, type MerchantLogin, type Random, type Sealed } from '@app/kernel';
import { SealedBoxRefused, open, seal, Ivs, lp, IV_BYTES } from '../keys/sealed-box';
import { deriveBytes, kekOf, type KekId, type KeyRing, primaryKek } from '../keys/key-ring';
import type { TextSealer } from '../port';
import type { RewrappedCard, RewrappedOrderKey, StoredCardRow, StoredOrderKeyRow, VaultStore } from '../vault-store';
import { kekIdOf, rewrapCard } from './card-blob';
import { orderKeyPlace } from '../keys/order-keys';

const VERSION = 'r1';
const SEPARATOR = '.';
const SALT_BYTES = 16;
const SALT = /^[A-Za-z0-9_-]{22}$/;
const KEK_ID = /^[1-9]\d{0,9}$/;
/** Random ivs may repeat after 2^32 texts under one key, so each key seals far fewer. */
const TEXTS_PER_KEY_MAX = 2 ** 20;
const KEYS_KEPT_MAX = 256;

interface DerivedKey {
  readonly kekId: KekId;
  readonly salt: string;
  readonly key: KeyObject;
}

export class RingSealer implements TextSealer {
  readonly #ring: KeyRing;
  readonly #random: Random;
  readonly #ivs: Ivs;
  readonly #kept = new BoundedMap<string, DerivedKey>(KEYS_KEPT_MAX);
  #current: DerivedKey | undefined;
  #sealed = 0;

  constructor(ring: KeyRing, random: Random) {
    this.#ring = ring;
    this.#random = random;
    this.#ivs = new Ivs(random);
  }

  seal(merchant: MerchantLogin, field: string, plaintext: string): Sealed {
    const { kekId, salt, key } = this.#keyToSeal();
    const box = seal(key, this.#ivs.next(), Buffer.from(plaintext, 'utf8'), placeOf(merchant, field));
    return [VERSION, kekId, salt, box.toString('base64url')].join(SEPARATOR) as Sealed;
  }

  unseal(merchant: MerchantLogin, field: string, sealed: Sealed): string {
    const [version, kekId = '', salt = '', box = '', ...more] = sealed.split(SEPARATOR);
    if (version !== VERSION || more.length > 0 || !KEK_ID.test(kekId) || !SALT.test(salt)) throw new SealedBoxRefused('not a sealed text');
    const { key } = this.#derived(Number(kekId), salt);
    return open(key, Buffer.from(box, 'base64url'), placeOf(merchant, field)).toString('utf8');
  }

  #keyToSeal(): DerivedKey {
    if (this.#current === undefined || this.#sealed >= TEXTS_PER_KEY_MAX) {
      this.#current = this.#derived(this.#ring.primaryKekId, Buffer.from(this.#random.bytes(SALT_BYTES)).toString('base64url'));
      this.#sealed = 0;
    }
    this.#sealed += 1;
    return this.#current;
  }

  #derived(kekId: KekId, salt: string): DerivedKey {
    const name = `${kekId}${SEPARATOR}${salt}`;
    const known = this.#kept.get(name);
    if (known !== undefined) return known;
    const bytes = deriveBytes(kekOf(this.#ring, kekId), `sealed text ${salt}`);
    const derived = { kekId, salt, key: createSecretKey(bytes) };
    bytes.fill(0);
    this.#kept.set(name, derived);
    return derived;
  }
}

const placeOf = (merchant: MerchantLogin, field: string): Buffer => lp(['ring-sealed', VERSION, merchant, field]);

const REWRAPPED_PER_BATCH = 500;
const WRAPPED_PER_TURN = 32;

export interface RowsUnderKey {
  readonly kekId: KekId;
  readonly cards: number;
  readonly orderKeys: number;
}

export interface Rewrapped {
  readonly cards: number;
  readonly orderKeys: number;
}

type Rows = Pick<VaultStore, 'cardRows' | 'orderKeyRows'>;

async function* pages<Row extends { readonly key: string }>(
  page: (after: string | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let after: string | undefined;
  for (;;) {
    const rows = await page(after);
    if (rows.length > 0) yield rows;
    if (rows.length < REWRAPPED_PER_BATCH) return;
    after = rows.at(-1)?.key;
  }
}

const cardPages = (store: Rows) => pages<StoredCardRow>((after) => store.cardRows(after, REWRAPPED_PER_BATCH));
const orderKeyPages = (store: Rows) => pages<StoredOrderKeyRow>((after) => store.orderKeyRows(after, REWRAPPED_PER_BATCH));

const kekIdOfOrderKey = ({ kekId, wrapped }: StoredOrderKeyRow): KekId | undefined =>
  wrapped.every((byte) => byte === 0) ? undefined : kekId;

const paced = async <Row, Result>(rows: readonly Row[], make: (row: Row) => Result): Promise<Result[]> => {
  const made: Result[] = [];
  for (const row of rows) {
    made.push(make(row));
    if (made.length % WRAPPED_PER_TURN === 0) await turn();
  }
  return made;
};

/** Rows under each KEK; shredded rows are under none. */
export const rowsUnderKeys = async (store: Rows): Promise<readonly RowsUnderKey[]> => {
  const counts = new Map<KekId, { cards: number; orderKeys: number }>();
  const count = (kekId: KekId | undefined, what: 'cards' | 'orderKeys'): void => {
    if (kekId === undefined) return;
    const one = counts.get(kekId) ?? { cards: 0, orderKeys: 0 };
    one[what] += 1;
    counts.set(kekId, one);
  };
  for await (const rows of cardPages(store)) {
    for (const { blob } of rows) count(kekIdOf(blob), 'cards');
    await turn();
  }
  for await (const rows of orderKeyPages(store)) {
    for (const row of rows) count(kekIdOfOrderKey(row), 'orderKeys');
    await turn();
  }
  return [...counts].map(([kekId, one]) => ({ kekId, ...one })).sort((one, other) => one.kekId - other.kekId);
};

/**
 * Rewraps all rows under the primary KEK, in batches. Idempotent: it can resume after a crash, and two processes may run it.
 * @param goesOn asked before each batch; false ends it early
 * @throws VaultUnavailable; KeyRingFault if the ring has lost a key; SealedBoxRefused for a row that was changed
 */
export const rewrapRows = async (
  store: VaultStore,
  ring: KeyRing,
  random: Pick<Random, 'bytes'>,
  goesOn: () => boolean,
): Promise<Rewrapped> => {
  let [cards, orderKeys] = [0, 0];
  for await (const rows of cardPages(store)) {
    if (!goesOn()) return { cards, orderKeys };
    const old = rows.filter(({ blob }) => ![undefined, ring.primaryKekId].includes(kekIdOf(blob)));
    const replaced = await paced(old, ({ merchant, handle, blob }): RewrappedCard => ({
      handle,
      was: blob,
      becomes: rewrapCard(ring, random.bytes(IV_BYTES), merchant, handle, blob),
    }));
    if (replaced.length > 0) cards += await store.replaceCards(replaced);
    else await turn();
  }
  for await (const rows of orderKeyPages(store)) {
    if (!goesOn()) return { cards, orderKeys };
    const old = rows.filter((row) => ![undefined, ring.primaryKekId].includes(kekIdOfOrderKey(row)));
    const replaced = await paced(old, (row): RewrappedOrderKey => {
      const { primaryKekId: kekId } = ring;
      const key = open(kekOf(ring, row.kekId), row.wrapped, orderKeyPlace(row.id, row.kekId));
      const wrapped = seal(primaryKek(ring), random.bytes(IV_BYTES), key, orderKeyPlace(row.id, kekId));
      key.fill(0);
      return { id: row.id, was: row.wrapped, becomes: { kekId, wrapped } };
    });
    if (replaced.length > 0) orderKeys += await store.replaceOrderKeys(replaced);
    else await turn();
  }
  return { cards, orderKeys };
};
