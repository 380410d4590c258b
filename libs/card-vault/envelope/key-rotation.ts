import { setImmediate as turn } from 'node:timers/promises';
import type { Random } from '@app/kernel';
import { IV_BYTES, open, seal } from '../keys/sealed-box';
import { kekOf, primaryKek, type KekId, type KeyRing } from '../keys/key-ring';
import type { RewrappedCard, RewrappedOrderKey, StoredCardRow, StoredOrderKeyRow, VaultStore } from '../vault-store';
import { kekIdOf, rewrapCard } from './card-blob';
import { orderKeyPlace } from '../keys/order-key';

/** Rows of one transaction, few enough not to delay a card behind it. */
const REWRAPPED_PER_BATCH = 500;
/** Rows wrapped without a pause, well below a millisecond: requests come between. */
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

/** All rows of a table, in pages of one batch. */
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

/** Undefined where the key was erased. */
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

/** How many rows lie under each KEK; what was shredded lies under none. */
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
 * Wraps the keys of all rows under the primary KEK, a batch at a time. Idempotent: it goes by what each row says, so that it begins again where a process
 * died, and two processes do no harm. A row that is shredded meanwhile stays shredded.
 * @param goesOn asked before each batch; false ends it early
 * @throws VaultUnavailable; KeyRingFault where the ring has lost a key; BoxRefused for a row that was changed
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
