import { randomBytes } from 'node:crypto';
import { Secret, systemRandom, type Card, type CardUid, type MerchantLogin, type Sealed } from '@app/kernel';
import type { EnvelopeCardVault } from '../envelope/envelope-card-vault';
import { MerchantCarrier, type MerchantCarrierSettings } from '../envelope/carried-merchant';
import { orderKeyId, orderKeyOf, orderKeyPlace } from '../envelope/order-keys/order-key';
import { primaryKek, type KeyRing } from '../key-ring/key-ring';
import { CardErased, type OrderKeyId } from '../port';
import { seal as sealBox } from '../sealed-box/sealed-box';
import type { VaultStore } from '../vault-store';
import { instant, newKeyRing } from './keys';
import { bytesOf, type TestVault } from './test-vault';

const acme = 'acme' as MerchantLogin;
const other = 'other' as MerchantLogin;
const NOW_MS = 5_000_000;
const NUMBER = '4444333322221111';

const card = (more: Partial<Card> = {}): Card => ({ number: NUMBER, expiryMonth: 7, expiryYear: 2031, holder: 'JOHN SMITH', ...more });

interface Cell {
  readonly ring: KeyRing;
  readonly database: TestVault;
  readonly vault: EnvelopeCardVault;
  readonly store: VaultStore;
}

/** The contract of a merchant's move from the vault of one cell to that of another. */
export const describeMerchantCarrier = (name: string, newSource: () => Promise<TestVault>, newTarget: () => Promise<TestVault>): void => {
  describe(`${name}: a merchant that moves to the vault of another cell`, () => {
    const serviceKey = newKeyRing().serviceKey;
    let source: Cell;
    let target: Cell;
    const cells: Cell[] = [];

    const newCell = async (newDatabase: () => Promise<TestVault>, more: Partial<KeyRing> = {}): Promise<Cell> => {
      const ring = newKeyRing({ serviceKey, ...more });
      const database = await newDatabase();
      const vault = await database.openVault({
        keyRing: ring,
        clock: { now: () => instant(1_000) },
        random: systemRandom,
        orderKeysAhead: 16,
      });
      const cell = { ring, database, vault, store: await database.openStore(ring) };
      cells.push(cell);
      return cell;
    };

    beforeEach(async () => {
      source = await newCell(newSource);
      target = await newCell(newTarget);
    });
    afterEach(async () => {
      for (const { vault, store, database } of cells.splice(0)) {
        await vault.close();
        await store.close();
        await database.remove();
      }
    });

    const open = (more: Partial<MerchantCarrierSettings> = {}): Promise<MerchantCarrier> =>
      MerchantCarrier.open({
        source: { store: source.store, keyRing: source.ring },
        target: { store: target.store, keyRing: target.ring },
        merchant: acme,
        clock: { now: () => instant(NOW_MS) },
        random: systemRandom,
        isStopRequested: () => false,
        ...more,
      });
    const carried = async (keys: readonly OrderKeyId[] = []) => {
      const carrier = await open();
      expect(await carrier.carryCards()).toBe(true);
      await carrier.carryOrderKeys(keys);
      const { cards, uids, orderKeys, faults } = carrier;
      return { cards, uids, orderKeys, faults };
    };
    const keep = async (cell: Cell, one: Card = card(), merchant = acme, isOwned = true) => {
      const kept = await cell.vault.keep(merchant, new Secret(one), 'payment-stream');
      if (isOwned) await cell.vault.markOwned(merchant, kept.handle);
      return kept;
    };
    const seal = async (cell: Cell, text: string): Promise<{ sealed: Sealed; id: OrderKeyId }> => {
      const sealed = (await cell.vault.takeKey()).seal(acme, 'customer', text);
      return { sealed, id: orderKeyOf(sealed) };
    };
    const stored = async (cell: Cell): Promise<string> => {
      const rows: unknown[] = [];
      for (const table of ['cards', 'card_uids', 'order_keys'])
        rows.push(await cell.database.query(`SELECT * FROM ${table} ORDER BY 1, 2`));
      return JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
    };

    it('keeps handles, ids of cards and what opens, under the other ring alone, and no other merchant comes along', async () => {
      const kept = await keep(source);
      const receiving = await source.vault.keepReceiving(acme, new Secret({ number: '5555555555554444' }), 'transfer-stream');
      await source.vault.markOwned(acme, receiving.handle);
      const theirs = await keep(source, card(), other);
      const { sealed, id } = await seal(source, 'name=JOHN');
      const stranger = await seal(source, 'name=EVE');
      const before = await stored(source);
      expect(await carried([id])).toStrictEqual({
        cards: { carried: 2, held: 0, destroyed: 0 },
        uids: 2,
        orderKeys: { carried: 1, held: 0, destroyed: 0 },
        faults: [],
      });
      expect((await target.vault.open(acme, kept.handle)).reveal()).toStrictEqual(card());
      expect((await target.vault.openReceiving(acme, receiving.handle)).reveal()).toStrictEqual({ number: '5555555555554444' });
      expect(await target.vault.uidNumber(acme, kept.uid)).toBe(await source.vault.uidNumber(acme, kept.uid));
      expect(await target.vault.unseal(acme, 'customer', sealed)).toBe('name=JOHN');
      // The number is found in the target by its own index: the same card has the same id.
      expect((await keep(target)).uid).toBe(kept.uid);
      expect((await keep(target, card({ number: '5555555555554444' }))).uid).toBe(receiving.uid);
      await expect(target.vault.open(other, theirs.handle)).rejects.toThrow('no card');
      await expect(target.vault.unseal(acme, 'customer', stranger.sealed)).rejects.toThrow('was never made');
      expect(await stored(source)).toBe(before);
      expect(await target.store.ownerlessCards(instant(NOW_MS + 1), 10)).toStrictEqual([]);
    });

    it('is carried once: again, everything is held, and no row is written', async () => {
      await keep(source);
      await keep(source, card({ holder: 'ANN' }));
      const { id } = await seal(source, 'name=JOHN');
      await carried([id]);
      const before = await stored(target);
      expect(await carried([id])).toStrictEqual({
        cards: { carried: 0, held: 2, destroyed: 0 },
        uids: 0,
        orderKeys: { carried: 0, held: 1, destroyed: 0 },
        faults: [],
      });
      expect(await stored(target)).toBe(before);
    });

    it('goes on where it was stopped', async () => {
      for (let at = 0; at < 130; at++) await keep(source, card({ holder: `HOLDER ${at}` }));
      let batches = 0;
      const stopped = await open({ isStopRequested: () => batches++ > 0 });
      expect(await stopped.carryCards()).toBe(false);
      expect(stopped.cards.carried).toBe(100);
      expect((await carried()).cards).toStrictEqual({ carried: 30, held: 100, destroyed: 0 });
    });

    it('is carried twice at once as once, and back again with what is new', async () => {
      const kept = await keep(source);
      const { id } = await seal(source, 'name=JOHN');
      const reports = await Promise.all([carried([id]), carried([id])]);
      expect(reports.flatMap(({ faults }) => faults)).toStrictEqual([]);
      expect((await target.store.cardRows(undefined, 10)).map(({ handle }) => handle)).toStrictEqual([kept.handle]);
      const [again, fresh] = [await keep(target), await keep(target, card({ number: '5555555555554444' }))];
      const back = await open({
        source: { store: target.store, keyRing: target.ring },
        target: { store: source.store, keyRing: source.ring },
      });
      await back.carryCards();
      expect([back.cards, back.uids, back.faults]).toStrictEqual([{ carried: 2, held: 1, destroyed: 0 }, 1, []]);
      expect((await source.vault.open(acme, again.handle)).reveal()).toStrictEqual(card());
      expect((await keep(source, card({ number: '5555555555554444' }))).uid).toBe(fresh.uid);
    });

    it('carries from and to a rotated ring', async () => {
      const next = newKeyRing({ serviceKey });
      const rotated: KeyRing = {
        ...source.ring,
        primaryKekId: 2,
        keks: new Map([...source.ring.keks, [2, next.keks.get(1) ?? next.serviceKey]]),
      };
      const [{ handle }, { id, sealed }] = [await keep(source), await seal(source, 'name=JOHN')];
      const carrier = await open({ source: { store: source.store, keyRing: rotated } });
      await carrier.carryCards();
      await carrier.carryOrderKeys([id]);
      expect((await target.vault.open(acme, handle)).reveal()).toStrictEqual(card());
      expect(await target.vault.unseal(acme, 'customer', sealed)).toBe('name=JOHN');
    });

    it('keeps what was destroyed on either side destroyed on both', async () => {
      const [gone, later, there] = [await keep(source), await keep(source), await keep(source)] as const;
      const [erased, erasedLater, erasedThere] = [await seal(source, 'a'), await seal(source, 'b'), await seal(source, 'c')] as const;
      const ids = [erased.id, erasedLater.id, erasedThere.id];
      await source.vault.shred(acme, gone.handle);
      await source.vault.erase([erased.id]);
      expect(await carried(ids)).toMatchObject({
        cards: { carried: 3, destroyed: 1 },
        orderKeys: { carried: 3, destroyed: 1 },
        faults: [],
      });
      await expect(target.vault.open(acme, gone.handle)).rejects.toBeInstanceOf(CardErased);
      await expect(target.vault.unseal(acme, 'customer', erased.sealed)).resolves.toBeUndefined();
      await source.vault.shred(acme, later.handle);
      await source.vault.erase([erasedLater.id]);
      await target.store.shredCard(acme, there.handle);
      await target.store.eraseOrderKeys([erasedThere.id]);
      expect(await carried(ids)).toMatchObject({ cards: { held: 3, destroyed: 3 }, orderKeys: { held: 3, destroyed: 3 }, faults: [] });
      for (const { handle } of [gone, later, there]) await expect(target.vault.open(acme, handle)).rejects.toBeInstanceOf(CardErased);
      expect((await target.store.findOrderKey(erasedThere.id))?.wrapped.every((byte) => byte === 0)).toBe(true);
    });

    it('keeps the id of a number whose cards are all shredded', async () => {
      const kept = await keep(source);
      const number = await source.vault.uidNumber(acme, kept.uid);
      await source.vault.shred(acme, kept.handle);
      expect((await carried()).uids).toBe(1);
      expect(await target.vault.uidNumber(acme, kept.uid)).toBe(number);
      expect((await carried()).uids).toBe(0);
      expect((await keep(target)).uid).not.toBe(kept.uid);
    });

    it('leaves a card without an owner to the sweep of the target, as if it came now', async () => {
      const { handle } = await keep(source, card(), acme, false);
      await carried();
      expect(await target.store.ownerlessCards(instant(NOW_MS), 10)).toStrictEqual([]);
      expect(await target.store.ownerlessCards(instant(NOW_MS + 1), 10)).toStrictEqual([
        { merchant: acme, handle, owner: 'payment-stream' },
      ]);
    });

    it('names what the target holds in another way, and leaves it as it is', async () => {
      const kept = await keep(source);
      const [handle, free] = [
        await keep(source, card({ number: '5555555555554444' })),
        await keep(source, card({ number: '4000000000000002' })),
      ];
      // The same number came to the target by itself, so it has another id there.
      const rival = await keep(target);
      // A handle of another merchant's card.
      const theirs = randomBytes(349);
      await target.store.addCards([{ merchant: other, handle: handle.handle, blob: theirs }]);
      const missing = orderKeyId(randomBytes(12), 0);
      const before = await stored(target);
      const report = await carried([missing]);
      expect(report.cards.carried).toBe(1);
      expect(report.faults.map(({ what, name: which }) => [what, which])).toStrictEqual([
        ['uid', kept.uid],
        ['card', handle.handle],
        ['order-key', missing],
      ]);
      expect((await keep(target)).uid).toBe(rival.uid);
      expect((await target.vault.open(acme, free.handle)).reveal()).toMatchObject({ number: '4000000000000002' });
      const [row] = await target.database.query('SELECT blob FROM cards WHERE handle = ?', handle.handle);
      expect(bytesOf(row?.['blob'])).toStrictEqual(theirs);
      await expect(target.store.findCard(acme, kept.handle)).resolves.toBeUndefined();
      expect(JSON.stringify(report)).not.toContain(NUMBER);
      expect(before).not.toContain(free.handle);
    });

    it('names a key that the target has another one of under the same id, and leaves it as it is', async () => {
      const { id } = await seal(source, 'a');
      const wrapped = sealBox(primaryKek(target.ring), randomBytes(12), randomBytes(32), orderKeyPlace(id, 1));
      await target.store.addOrderKeys([{ id, kekId: 1, wrapped }]);
      const { faults, orderKeys } = await carried([id]);
      expect(faults).toStrictEqual([{ what: 'order-key', name: id, text: 'the target holds another key under this id' }]);
      expect(orderKeys).toStrictEqual({ carried: 0, held: 0, destroyed: 0 });
      expect(Buffer.from((await target.store.findOrderKey(id))?.wrapped ?? [])).toStrictEqual(wrapped);
    });

    it('refuses rings with different service keys, and a ring that is not the vault’s, before it reads a row', async () => {
      await keep(source);
      const foreign = await newCell(newTarget, { serviceKey: newKeyRing().serviceKey });
      const to = { store: foreign.store, keyRing: foreign.ring };
      await expect(open({ target: to })).rejects.toThrow(/different service keys/);
      await expect(open({ target: { ...to, keyRing: target.ring } })).rejects.toThrow(/is not the one that this vault was written with/);
      expect(await foreign.store.cardRows(undefined, 1)).toStrictEqual([]);
    });

    it('finds the ids of a merchant by page, and nobody else’s', async () => {
      const kept = [await keep(source), await keep(source, card({ number: '5555555555554444' }))];
      await keep(source, card(), other);
      const [first] = await source.store.uidRows(acme, undefined, 1);
      const rest = await source.store.uidRows(acme, first?.index, 10);
      const uids = new Set<CardUid>([first, ...rest].flatMap((row) => row?.uid ?? []));
      expect(uids).toStrictEqual(new Set(kept.map(({ uid }) => uid)));
    });
  });
};
