import type { CardHandle, CardUid, Deadline, Instant, MerchantLogin } from '@app/kernel';
import { drawOrderKeys, wrapOrderKeys } from '../keys/order-keys';
import { keyRingProblem, KeyRingFault, primaryKek, type KeyRing, type KnownAnswer } from '../keys/key-ring';
import { TIME_IS_OVER, VaultUnavailable, type OrderKeyId, type OwnerlessCard } from '../port';
import type {
  Inserted,
  NewCard,
  OrderKeyBlock,
  RewrappedCard,
  RewrappedOrderKey,
  StoredCardRow,
  StoredOrderKey,
  StoredOrderKeyRow,
  VaultStore,
} from '../vault-store';
import type { MemoryCard, MemoryVault } from './memory-vault';

interface MemoryVaultStoreSettings {
  readonly vault: MemoryVault;
  readonly keyRing: KeyRing;
  readonly drawKeys?: (count: number) => OrderKeyBlock;
}

const CLOSED = 'the vault is closed';
/** Callers clear their buffers, and shredding clears the stored ones; neither may affect the other. */
const copyOf = (bytes: Uint8Array): Uint8Array => Uint8Array.from(bytes);
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const assertInTime = (deadline: Deadline | undefined): void => {
  if (deadline?.isOver === true) throw new VaultUnavailable(TIME_IS_OVER);
};

/** A write is atomic within one microtask, and never happens after its deadline. */
export class MemoryVaultStore implements VaultStore {
  readonly #vault: MemoryVault;
  readonly #keyRing: KeyRing;
  readonly #drawKeys: (count: number) => OrderKeyBlock;
  #isOpen = true;

  constructor({ vault, keyRing, drawKeys = drawOrderKeys }: MemoryVaultStoreSettings) {
    this.#vault = vault;
    this.#keyRing = keyRing;
    this.#drawKeys = drawKeys;
  }

  recognise(answers: readonly KnownAnswer[], retired: ReadonlySet<string>): Promise<void> {
    return this.#write(({ knownAnswers }) => {
      const remembered = [...knownAnswers].map(([name, answer]) => ({ name, answer }));
      const fault = keyRingProblem(remembered, answers, retired);
      if (fault !== undefined) throw new KeyRingFault(fault);
      for (const { name, answer } of answers) if (!knownAnswers.has(name)) knownAnswers.set(name, copyOf(answer));
    });
  }

  insertCard(card: NewCard, deadline?: Deadline): Promise<Inserted> {
    return this.#write((vault) => {
      const { merchant, handle, blob, owner, createdAt } = card;
      const [first] = card.indexes;
      if (first === undefined) throw new VaultUnavailable('a card without an index');
      const uids = vault.uidsOf(merchant);
      const known = card.indexes.map(({ index }) => uids.byIndex.get(hexOf(index))).find((uid) => uid !== undefined);
      const isTaken = known === undefined && (uids.numberOf.has(card.uid) || uids.numbers.has(card.uidNumber));
      if (isTaken) return { kind: 'uid-taken' };
      if (vault.cards.has(handle)) throw new VaultUnavailable('a card with this handle is stored');
      if (known === undefined) {
        uids.byIndex.set(hexOf(first.index), card.uid);
        uids.numberOf.set(card.uid, card.uidNumber);
        uids.numbers.add(card.uidNumber);
      }
      vault.cards.set(handle, { merchant, owner, createdAt, blob: copyOf(blob) });
      vault.ownerless.add(handle);
      return { kind: 'kept', uid: known ?? card.uid };
    }, deadline);
  }

  findCard(merchant: MerchantLogin, handle: CardHandle): Promise<Uint8Array | undefined> {
    return this.#read(() => {
      const card = this.#cardOf(merchant, handle);
      return card && copyOf(card.blob);
    });
  }

  shredCard(merchant: MerchantLogin, handle: CardHandle): Promise<boolean> {
    return this.#write((vault) => {
      const card = this.#cardOf(merchant, handle);
      if (card === undefined) return false;
      card.blob.fill(0);
      vault.ownerless.delete(handle);
      return true;
    });
  }

  markOwned(merchant: MerchantLogin, handle: CardHandle): Promise<boolean> {
    return this.#write((vault) => {
      const isKnown = this.#cardOf(merchant, handle) !== undefined;
      if (isKnown) vault.ownerless.delete(handle);
      return isKnown;
    });
  }

  ownerlessCards(before: Instant, limit: number): Promise<readonly OwnerlessCard[]> {
    return this.#read(({ cards, ownerless }) =>
      [...ownerless]
        .flatMap((handle) => {
          const card = cards.get(handle);
          return card !== undefined && card.createdAt < before ? [{ handle, ...card }] : [];
        })
        .sort((one, other) => one.createdAt - other.createdAt)
        .slice(0, limit)
        .map(({ merchant, handle, owner }) => ({ merchant, handle, owner })),
    );
  }

  findUidNumber(merchant: MerchantLogin, uid: CardUid): Promise<number | undefined> {
    return this.#read((vault) => vault.uidsOf(merchant).numberOf.get(uid));
  }

  makeOrderKeys(count: number): Promise<OrderKeyBlock> {
    return this.#write(({ orderKeys }) => {
      const block = this.#drawKeys(count);
      const kekId = this.#keyRing.primaryKekId;
      for (const { id, wrapped } of wrapOrderKeys(block, kekId, primaryKek(this.#keyRing))) orderKeys.set(id, { kekId, wrapped });
      return block;
    });
  }

  findOrderKey(id: OrderKeyId, deadline?: Deadline): Promise<StoredOrderKey | undefined> {
    return this.#read(({ orderKeys }) => {
      const stored = orderKeys.get(id);
      return stored && { kekId: stored.kekId, wrapped: copyOf(stored.wrapped) };
    }, deadline);
  }

  eraseOrderKeys(ids: readonly OrderKeyId[]): Promise<readonly OrderKeyId[]> {
    return this.#write(({ orderKeys }) => ids.filter((id) => orderKeys.get(id)?.wrapped.fill(0) === undefined));
  }

  cardRows(after: string | undefined, limit: number): Promise<readonly StoredCardRow[]> {
    return this.#read(({ cards }) =>
      [...cards]
        .map(([handle, { merchant, blob }], index) => ({ key: String(index + 1), merchant, handle, blob: copyOf(blob) }))
        .slice(Number(after ?? 0), Number(after ?? 0) + limit),
    );
  }

  orderKeyRows(after: string | undefined, limit: number): Promise<readonly StoredOrderKeyRow[]> {
    return this.#read(({ orderKeys }) =>
      [...orderKeys]
        .map(([id, { kekId, wrapped }], index) => ({ key: String(index + 1), id, kekId, wrapped: copyOf(wrapped) }))
        .slice(Number(after ?? 0), Number(after ?? 0) + limit),
    );
  }

  replaceCards(rows: readonly RewrappedCard[]): Promise<number> {
    return this.#write(
      ({ cards }) =>
        rows.filter(({ handle, was, becomes }) => {
          const card = cards.get(handle);
          if (card === undefined || hexOf(card.blob) !== hexOf(was)) return false;
          card.blob.set(becomes);
          return true;
        }).length,
    );
  }

  replaceOrderKeys(rows: readonly RewrappedOrderKey[]): Promise<number> {
    return this.#write(
      ({ orderKeys }) =>
        rows.filter(({ id, was, becomes }) => {
          const key = orderKeys.get(id);
          if (key === undefined || hexOf(key.wrapped) !== hexOf(was)) return false;
          orderKeys.set(id, { kekId: becomes.kekId, wrapped: copyOf(becomes.wrapped) });
          return true;
        }).length,
    );
  }

  async problem(): Promise<string | undefined> {
    await Promise.resolve();
    return this.#isOpen ? undefined : CLOSED;
  }

  async close(): Promise<void> {
    await Promise.resolve();
    this.#isOpen = false;
  }

  #cardOf(merchant: MerchantLogin, handle: CardHandle): MemoryCard | undefined {
    const card = this.#vault.cards.get(handle);
    return card?.merchant === merchant ? card : undefined;
  }

  async #read<Row>(select: (vault: MemoryVault) => Row, deadline?: Deadline): Promise<Row> {
    this.#assertOpen();
    assertInTime(deadline);
    await Promise.resolve();
    return select(this.#vault);
  }

  async #write<Result>(change: (vault: MemoryVault) => Result, deadline?: Deadline): Promise<Result> {
    this.#assertOpen();
    assertInTime(deadline);
    await Promise.resolve();
    while (this.#vault.isStalled) await this.#resumed(deadline);
    assertInTime(deadline);
    return change(this.#vault);
  }

  #resumed(deadline: Deadline | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      let forget = (): void => undefined;
      const giveUp = this.#vault.whenResumed(() => {
        forget();
        resolve();
      });
      forget =
        deadline?.whenOver(() => {
          giveUp();
          reject(new VaultUnavailable(TIME_IS_OVER));
        }) ?? forget;
    });
  }

  #assertOpen(): void {
    if (!this.#isOpen) throw new VaultUnavailable(CLOSED);
  }
}
