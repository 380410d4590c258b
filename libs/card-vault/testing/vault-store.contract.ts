import { createSecretKey, randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { EndableDeadline, type CardHandle, type CardUid, type MerchantLogin } from '@app/kernel';
import { stopwatch } from '@app/testing/stopwatch';
import { open } from '../keys/sealed-box';
import { kekOf, knownAnswers, KeyRingFault, type KeyRing } from '../keys/key-ring';
import { orderKeyId, orderKeyPlace } from '../keys/order-keys';
import type { NewCard, VaultStore } from '../vault-store';
import { instant, newKeyRing } from './keys';
import type { TestVault } from './test-vault';

const acme = 'acme' as MerchantLogin;
const other = 'other' as MerchantLogin;

const WRITES_AT_ONCE = 12;
const GIVEN_UP_WITHIN_MS = 2_000;
const WAIT_MS_MAX = 10_000;

const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  const endMs = performance.now() + WAIT_MS_MAX;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`it was not so within ${WAIT_MS_MAX} ms`);
    await turn();
  }
};

let cards = 0;
const newCard = (more: Partial<NewCard> = {}): NewCard => ({
  merchant: acme,
  handle: `handle-${++cards}` as CardHandle,
  blob: randomBytes(349),
  owner: 'payment-stream',
  createdAt: instant(1_000),
  indexes: [{ keyId: 1, index: randomBytes(32) }],
  uid: `uid-${cards}` as CardUid,
  uidNumber: 1e8 + cards,
  ...more,
});

type StoreUnderTest = Pick<TestVault, 'openStore' | 'stall' | 'remove'>;

export const describeVaultStore = (name: string, newTestVault: () => Promise<StoreUnderTest>): void => {
  describe(`the ${name} vault store`, () => {
    const keyRing = newKeyRing();
    let testVault: StoreUnderTest;
    let store: VaultStore;

    beforeEach(async () => {
      testVault = await newTestVault();
      store = await testVault.openStore(keyRing);
    });
    afterEach(async () => {
      await store.close();
      await testVault.remove();
    });

    const again = async (ring: KeyRing = keyRing): Promise<void> => {
      await store.close();
      store = await testVault.openStore(ring);
    };

    it('finds a card by merchant and handle, also after a restart', async () => {
      const card = newCard();
      expect(await store.insertCard(card)).toEqual({ kind: 'kept', uid: card.uid });
      await again();
      expect(Buffer.from((await store.findCard(acme, card.handle)) ?? [])).toEqual(Buffer.from(card.blob));
      expect(await store.findCard(other, card.handle)).toBeUndefined();
      expect(await store.findCard(acme, 'no-such' as CardHandle)).toBeUndefined();
    });

    it('rejects a handle that already exists for any merchant and stores nothing', async () => {
      const card = newCard();
      await store.insertCard(card);
      const rival = newCard({ handle: card.handle, merchant: other });
      await expect(store.insertCard(rival)).rejects.toMatchObject({ name: 'VaultUnavailable' });
      expect(await store.findCard(other, card.handle)).toBeUndefined();
      expect(await store.findUidNumber(other, rival.uid)).toBeUndefined();
    });

    it('returns the uid of a known index, also for 100 concurrent calls', async () => {
      const index = randomBytes(32);
      const inserted = await Promise.all(Array.from({ length: 100 }, () => store.insertCard(newCard({ indexes: [{ keyId: 1, index }] }))));
      expect(new Set(inserted.map((one) => (one.kind === 'kept' ? one.uid : one.kind))).size).toBe(1);
    });

    it('gives the same index a different uid at another merchant', async () => {
      const indexes = [{ keyId: 1, index: randomBytes(32) }];
      const [ours, theirs] = [newCard({ indexes }), newCard({ indexes, merchant: other })];
      await store.insertCard(ours);
      expect(await store.insertCard(theirs)).toEqual({ kind: 'kept', uid: theirs.uid });
    });

    it('finds the uid by the index of a former key', async () => {
      const former = { keyId: 1, index: randomBytes(32) };
      const card = newCard({ indexes: [former] });
      await store.insertCard(card);
      const later = newCard({ indexes: [{ keyId: 2, index: randomBytes(32) }, former] });
      expect(await store.insertCard(later)).toEqual({ kind: 'kept', uid: card.uid });
    });

    it('reports a taken uid or uid number and stores nothing', async () => {
      const card = newCard();
      await store.insertCard(card);
      const sameUid = newCard({ uid: card.uid });
      const sameNumber = newCard({ uidNumber: card.uidNumber });
      expect(await store.insertCard(sameUid)).toEqual({ kind: 'uid-taken' });
      expect(await store.insertCard(sameNumber)).toEqual({ kind: 'uid-taken' });
      expect(await store.findCard(acme, sameUid.handle)).toBeUndefined();
      expect(await store.findCard(acme, sameNumber.handle)).toBeUndefined();
    });

    it('rejects a card without an index and stores nothing', async () => {
      const card = newCard({ indexes: [] });
      await expect(store.insertCard(card)).rejects.toMatchObject({ name: 'VaultUnavailable', message: 'a card without an index' });
      expect(await store.findCard(acme, card.handle)).toBeUndefined();
      expect(await store.findUidNumber(acme, card.uid)).toBeUndefined();
    });

    it('finds the number of a uid, up to the largest safe integer', async () => {
      const card = newCard({ uidNumber: Number.MAX_SAFE_INTEGER });
      await store.insertCard(card);
      expect(await store.findUidNumber(acme, card.uid)).toBe(Number.MAX_SAFE_INTEGER);
      expect(await store.findUidNumber(other, card.uid)).toBeUndefined();
    });

    it('overwrites a shredded card with zeros, only for its own merchant, and can repeat that', async () => {
      const card = newCard();
      await store.insertCard(card);
      expect(await store.shredCard(other, card.handle)).toBe(false);
      expect(Buffer.from((await store.findCard(acme, card.handle)) ?? [])).toEqual(Buffer.from(card.blob));
      expect(await store.shredCard(acme, card.handle)).toBe(true);
      expect(await store.shredCard(acme, card.handle)).toBe(true);
      expect(Buffer.from((await store.findCard(acme, card.handle)) ?? [])).toEqual(Buffer.alloc(card.blob.length));
    });

    it('lists ownerless cards before an instant, oldest first, until they are owned or shredded', async () => {
      const [third, first, second, late] = [300, 100, 200, 400].map((ms) => newCard({ createdAt: instant(ms) })) as [
        NewCard,
        NewCard,
        NewCard,
        NewCard,
      ];
      for (const card of [third, first, second, late]) await store.insertCard(card);
      const listed = async (limit: number) => (await store.ownerlessCards(instant(400), limit)).map(({ handle }) => handle);
      expect(await listed(10)).toEqual([first.handle, second.handle, third.handle]);
      expect(await listed(2)).toEqual([first.handle, second.handle]);
      expect(await store.markOwned(acme, first.handle)).toBe(true);
      expect(await store.markOwned(acme, first.handle)).toBe(true);
      await store.shredCard(acme, second.handle);
      expect(await listed(10)).toEqual([third.handle]);
      expect(await store.markOwned(other, third.handle)).toBe(false);
      expect(await store.ownerlessCards(instant(400), 10)).toEqual([{ merchant: acme, handle: third.handle, owner: 'payment-stream' }]);
    });

    it('creates order keys that open under their KEK and position, also after a restart', async () => {
      const block = await store.makeOrderKeys(20);
      await again();
      for (let position = 0; position < 20; position++) {
        const id = orderKeyId(block.id, position);
        const stored = await store.findOrderKey(id);
        if (stored === undefined) throw new Error('not stored');
        const key = open(kekOf(keyRing, stored.kekId), stored.wrapped, orderKeyPlace(id, stored.kekId));
        expect(key).toEqual(Buffer.from(block.keys.subarray(position * 32, (position + 1) * 32)));
      }
      expect(await store.findOrderKey(orderKeyId(block.id, 20))).toBeUndefined();
    });

    it('does not create a key twice', async () => {
      const blocks = await Promise.all([store.makeOrderKeys(50), store.makeOrderKeys(50)]);
      const keys = blocks.flatMap(({ keys: bytes }) =>
        Array.from({ length: 50 }, (_, at) => Buffer.from(bytes.subarray(at * 32, at * 32 + 32))),
      );
      expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(100);
      expect(Buffer.from(blocks[0].id).equals(Buffer.from(blocks[1].id))).toBe(false);
    });

    it('erases many order keys, can repeat that and returns unknown ids', async () => {
      const block = await store.makeOrderKeys(1_200);
      const ids = Array.from({ length: 1_200 }, (_, position) => orderKeyId(block.id, position));
      const [kept, ...gone] = ids as [(typeof ids)[number], ...typeof ids];
      const stranger = orderKeyId(randomBytes(12), 0);
      expect(await store.eraseOrderKeys([...gone, stranger])).toEqual([stranger]);
      expect(await store.eraseOrderKeys(gone)).toEqual([]);
      for (const id of gone) expect((await store.findOrderKey(id))?.wrapped.every((byte) => byte === 0)).toBe(true);
      expect((await store.findOrderKey(kept))?.wrapped.some((byte) => byte !== 0)).toBe(true);
    });

    it('accepts the keys it was written with and rejects others', async () => {
      const recognise = (ring: KeyRing): Promise<void> => store.recognise(knownAnswers(ring), ring.retired);
      await recognise(keyRing);
      await again();
      await recognise(keyRing);
      const key = () => createSecretKey(randomBytes(32));
      await expect(recognise({ ...keyRing, keks: new Map([[1, key()]]) })).rejects.toThrow(KeyRingFault);
      await expect(recognise({ ...keyRing, indexKeys: [{ id: 1, key: key() }] })).rejects.toThrow(
        'key index:1 of the key ring is not the one',
      );
      await expect(recognise({ ...keyRing, serviceKey: key() })).rejects.toThrow('key service of the key ring is not the one');
      await recognise(keyRing);
    });

    it('accepts a new KEK next to the old one and drops the old one only if it is marked retired', async () => {
      const kek = createSecretKey(randomBytes(32));
      const both = { ...keyRing, primaryKekId: 2, keks: new Map([...keyRing.keks, [2, kek]]) };
      const later = { ...both, keks: new Map([[2, kek]]) };
      await store.recognise(knownAnswers(keyRing), keyRing.retired);
      await store.recognise(knownAnswers(both), both.retired);
      await expect(store.recognise(knownAnswers(later), later.retired)).rejects.toThrow('no key kek:1');
      await store.recognise(knownAnswers(later), new Set(['kek:1']));
    });

    it('lists each row once in pages, even if rows are added between the pages', async () => {
      const kept = Array.from({ length: 5 }, () => newCard());
      for (const card of kept) await store.insertCard(card);
      await store.shredCard(acme, kept[1]?.handle ?? ('' as CardHandle));
      const { id: block } = await store.makeOrderKeys(5);
      const read = async <Row extends { readonly key: string }>(
        page: (after: string | undefined) => Promise<readonly Row[]>,
        addRows: () => Promise<unknown>,
      ): Promise<Row[]> => {
        const rows: Row[] = [];
        for (;;) {
          const next = await page(rows.at(-1)?.key);
          rows.push(...next);
          expect(next.length).toBeLessThanOrEqual(2);
          if (next.length < 2) return rows;
          await addRows();
        }
      };
      const handles = kept.map(({ handle }) => handle);
      let added = 0;
      const cards = await read(
        (after) => store.cardRows(after, 2),
        async () => {
          if (added++ < 3) await store.insertCard(newCard());
        },
      );
      expect(new Set(cards.map(({ key }) => key)).size).toBe(cards.length);
      expect(cards.flatMap(({ handle }) => (handles.includes(handle) ? [handle] : [])).toSorted()).toStrictEqual(handles.toSorted());
      expect(cards.filter(({ blob }) => blob.every((byte) => byte === 0)).map(({ handle }) => handle)).toStrictEqual([kept[1]?.handle]);
      expect(cards.every(({ merchant }) => merchant === acme)).toBe(true);
      const ids = Array.from({ length: 5 }, (_, at) => orderKeyId(block, at));
      const keys = await read(
        (after) => store.orderKeyRows(after, 2),
        async () => {
          if (added++ < 6) await store.makeOrderKeys(1);
        },
      );
      expect(new Set(keys.map(({ key }) => key)).size).toBe(keys.length);
      expect(keys.flatMap(({ id }) => (ids.includes(id) ? [id] : [])).toSorted()).toStrictEqual(ids.toSorted());
      expect(keys.every(({ kekId, wrapped }) => kekId === 1 && wrapped.length === 60)).toBe(true);
    });

    it('replaces unchanged rows and skips rows that were shredded or erased in the meantime', async () => {
      const [one, gone] = [newCard(), newCard()] as const;
      for (const card of [one, gone]) await store.insertCard(card);
      const { id: block } = await store.makeOrderKeys(2);
      const [kept, erased] = [orderKeyId(block, 0), orderKeyId(block, 1)];
      const [cards, keys] = [await store.cardRows(undefined, 10), await store.orderKeyRows(undefined, 10)];
      await store.shredCard(acme, gone.handle);
      await store.eraseOrderKeys([erased]);
      const becomes = randomBytes(one.blob.length);
      const wrapped = randomBytes(60);
      const replaced = cards.map(({ handle, blob: was }) => ({ handle, was, becomes }));
      expect(await store.replaceCards(replaced)).toBe(1);
      expect(await store.replaceCards(replaced)).toBe(0);
      const rewrapped = keys.map(({ id, wrapped: was }) => ({ id, was, becomes: { kekId: 7, wrapped } }));
      expect(await store.replaceOrderKeys(rewrapped)).toBe(1);
      expect(await store.replaceOrderKeys(rewrapped)).toBe(0);
      await again();
      expect(Buffer.from((await store.findCard(acme, one.handle)) ?? [])).toEqual(becomes);
      expect((await store.findCard(acme, gone.handle))?.every((byte) => byte === 0)).toBe(true);
      expect(await store.findOrderKey(kept)).toMatchObject({ kekId: 7 });
      expect(Buffer.from((await store.findOrderKey(kept))?.wrapped ?? [])).toEqual(wrapped);
      expect((await store.findOrderKey(erased))?.wrapped.every((byte) => byte === 0)).toBe(true);
      expect(await store.findOrderKey(erased)).toMatchObject({ kekId: 1 });
    });

    it('ends a stalled call at its deadline and frees its resources', async () => {
      const deadline = new EndableDeadline();
      const stalled = await testVault.stall();
      const writing = Promise.allSettled(Array.from({ length: WRITES_AT_ONCE }, () => store.insertCard(newCard(), deadline)));
      await until(async () => (await stalled.waiting()) !== 0);
      const since = stopwatch();
      deadline.end();
      const reasons = (await writing).map((one) => (one.status === 'rejected' ? (one.reason as Error).name : one.value));
      expect(new Set(reasons)).toStrictEqual(new Set(['VaultUnavailable']));
      await until(async () => ((await stalled.waiting()) ?? 0) === 0);
      expect(since.stop()).toBeLessThan(GIVEN_UP_WITHIN_MS);
      await stalled.end();
      const card = newCard();
      await expect(store.insertCard(card)).resolves.toEqual({ kind: 'kept', uid: card.uid });
    });

    it('starts no call after its deadline', async () => {
      const block = await store.makeOrderKeys(1);
      const deadline = new EndableDeadline();
      const id = orderKeyId(block.id, 0);
      await expect(store.findOrderKey(id, deadline)).resolves.toMatchObject({ kekId: 1 });
      deadline.end();
      await expect(store.findOrderKey(id, deadline)).rejects.toMatchObject({ name: 'VaultUnavailable' });
      const card = newCard();
      await expect(store.insertCard(card, deadline)).rejects.toMatchObject({ name: 'VaultUnavailable' });
      await expect(store.findCard(acme, card.handle)).resolves.toBeUndefined();
    });

    it('reports a problem once it is closed', async () => {
      expect(await store.problem()).toBeUndefined();
      await store.close();
      await store.close();
      expect(await store.problem()).toEqual(expect.any(String));
      await expect(store.insertCard(newCard())).rejects.toMatchObject({ name: 'VaultUnavailable' });
      await expect(store.findCard(acme, 'handle-1' as CardHandle)).rejects.toMatchObject({ name: 'VaultUnavailable' });
    });
  });
};
