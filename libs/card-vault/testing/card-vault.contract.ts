import { createSecretKey, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { Secret, systemRandom, type Card, type CardHandle, type CardUid, type MerchantLogin, type Sealed } from '@app/kernel';
import { SealedBoxRefused } from '../keys/sealed-box';
import type { EnvelopeCardVault } from '../envelope/envelope-card-vault';
import { KeyRingFault, type KeyRing } from '../keys/key-ring';
import { orderKeyId } from '../keys/order-keys';
import { CardErased, VaultUnavailable } from '../port';
import { instant, newKeyRing } from './keys';
import { bytesOf, type TestVault, type VaultSettings } from './test-vault';

const acme = 'acme' as MerchantLogin;
const other = 'other' as MerchantLogin;

const card = (more: Partial<Card> = {}): Card => ({
  number: '4444333322221111',
  expiryMonth: 7,
  expiryYear: 2031,
  holder: 'JOHN SMITH',
  ...more,
});

export const describeCardVault = (name: string, newTestVault: () => Promise<TestVault>): void => {
  const keyRing = newKeyRing();
  let nowMs = 1_000_000;
  let testVault: TestVault;
  let vault: EnvelopeCardVault;
  const openVault = (more: Partial<VaultSettings> = {}): Promise<EnvelopeCardVault> =>
    testVault.openVault({ keyRing, clock: { now: () => instant(nowMs) }, random: systemRandom, orderKeysAhead: 64, ...more });

  beforeEach(async () => {
    testVault = await newTestVault();
    vault = await openVault();
  });
  afterEach(async () => {
    await vault.close();
    await testVault.remove();
  });

  const keep = (one: Card = card(), merchant = acme) => vault.keep(merchant, new Secret(one), 'payment-stream');
  const opened = async (merchant: MerchantLogin, handle: CardHandle): Promise<Card> => (await vault.open(merchant, handle)).reveal();
  const blobOf = async (handle: CardHandle): Promise<Buffer> =>
    bytesOf((await testVault.query('SELECT blob FROM cards WHERE handle = ?', handle))[0]?.['blob']);

  describe(name, () => {
    describe('a card in the vault', () => {
      it('opens to the kept card, also after a restart', async () => {
        const { handle, face } = await keep();
        expect(face).toEqual({ bin: '444433', lastFour: '1111', brand: 'VISA', expiryMonth: 7, expiryYear: 2031 });
        expect(await opened(acme, handle)).toEqual(card());
        await vault.close();
        vault = await openVault();
        expect(await opened(acme, handle)).toEqual(card());
      });

      it('is returned inside a secret that no printed form reveals', async () => {
        const { handle } = await keep();
        const secret = await vault.open(acme, handle);
        expect(inspect(secret) + JSON.stringify(secret) + String(secret)).toBe('[redacted]"[redacted]"[redacted]');
      });

      it('throws if it was never kept or belongs to another merchant', async () => {
        const { handle } = await keep();
        await expect(vault.open(acme, 'never' as CardHandle)).rejects.toThrow('no card never of this merchant');
        await expect(vault.open(other, handle)).rejects.toThrow(`no card ${handle} of this merchant`);
      });

      it('has one uid per number and merchant, regardless of expiry and holder', async () => {
        const { uid, handle } = await keep();
        const again = await keep(card({ expiryYear: 2035, holder: 'J SMITH' }));
        expect(again.uid).toBe(uid);
        expect(again.handle).not.toBe(handle);
        expect((await keep(card(), other)).uid).not.toBe(uid);
        expect((await keep(card({ number: '5555555555554444' }))).uid).not.toBe(uid);
      });

      it('kept with only its number is masked, has the same uid and opens only for receiving', async () => {
        const { number } = card();
        const kept = await vault.keepReceiving(acme, new Secret({ number }), 'transfer-stream');
        expect(kept).toEqual({ handle: kept.handle, uid: (await keep()).uid, face: { bin: '444433', lastFour: '1111', brand: 'VISA' } });
        const receiving = await vault.openReceiving(acme, kept.handle);
        expect(receiving.reveal()).toEqual({ number });
        expect(inspect(receiving)).toBe('[redacted]');
        await expect(vault.open(acme, kept.handle)).rejects.toThrow('only receives');
        await vault.shred(acme, kept.handle);
        await expect(vault.openReceiving(acme, kept.handle)).rejects.toBeInstanceOf(CardErased);
      });

      it('kept for charging also opens for receiving', async () => {
        const { handle } = await keep();
        expect((await vault.openReceiving(acme, handle)).reveal()).toEqual({ number: card().number });
        await expect(vault.openReceiving(other, handle)).rejects.toThrow(`no card ${handle} of this merchant`);
      });

      it('has one uid if it is kept 100 times concurrently', async () => {
        const kept = await Promise.all(Array.from({ length: 100 }, () => keep()));
        expect(new Set(kept.map(({ uid }) => uid)).size).toBe(1);
        expect(new Set(kept.map(({ handle }) => handle)).size).toBe(100);
      });

      it('has an integer for its uid that only its merchant can read', async () => {
        const { uid } = await keep();
        const number = await vault.uidNumber(acme, uid);
        expect(Number.isSafeInteger(number) && number >= 1e8).toBe(true);
        expect(await vault.uidNumber(acme, (await keep()).uid)).toBe(number);
        await expect(vault.uidNumber(other, uid)).rejects.toThrow('no card uid');
        await expect(vault.uidNumber(acme, 'u-none' as CardUid)).rejects.toThrow('no card uid');
      });

      it('keeps its uid after a new index key is added', async () => {
        const { uid } = await keep();
        await vault.close();
        const next = newKeyRing().indexKeys[0];
        vault = await openVault({ keyRing: { ...keyRing, indexKeys: [{ ...next, id: 2 }, ...keyRing.indexKeys] } });
        expect((await keep()).uid).toBe(uid);
      });

      it('is rejected if its row was swapped with another card or merchant', async () => {
        const [ours, theirs, second] = [await keep(), await keep(card({ holder: 'EVE' }), other), await keep(card({ holder: 'ANN' }))];
        const [mine, foreign] = [await blobOf(ours.handle), await blobOf(theirs.handle)];
        await testVault.query('UPDATE cards SET blob = ? WHERE handle = ?', foreign, ours.handle);
        await testVault.query('UPDATE cards SET blob = ? WHERE handle = ?', mine, theirs.handle);
        await testVault.query('UPDATE cards SET merchant = ? WHERE handle = ?', other, second.handle);
        await expect(vault.open(acme, ours.handle)).rejects.toThrow(SealedBoxRefused);
        await expect(vault.open(other, theirs.handle)).rejects.toThrow(SealedBoxRefused);
        await expect(vault.open(other, second.handle)).rejects.toThrow(SealedBoxRefused);
      });

      it('is rejected if the random source repeats a handle, and the first card is kept (safety, F42)', async () => {
        await vault.close();
        let draws = 0;
        vault = await openVault({
          random: { bytes: (size) => (size === 16 ? new Uint8Array(16) : systemRandom.bytes(size)), fraction: () => draws++ },
        });
        const { handle } = await keep();
        await expect(keep(card({ holder: 'EVE' }))).rejects.toThrow(VaultUnavailable);
        expect(await opened(acme, handle)).toEqual(card());
      });
    });

    describe('a shredded card', () => {
      it('stays erased after a second shredding and a restart, and its uid stays', async () => {
        const { handle, uid } = await keep();
        const kept = await keep();
        await vault.shred(acme, handle);
        await vault.shred(acme, handle);
        await expect(vault.open(acme, handle)).rejects.toThrow(CardErased);
        await vault.close();
        vault = await openVault();
        await expect(vault.open(acme, handle)).rejects.toThrow(CardErased);
        expect(await opened(acme, kept.handle)).toEqual(card());
        expect((await keep()).uid).toBe(uid);
      });

      it('cannot be shredded by another merchant', async () => {
        const { handle } = await keep();
        await expect(vault.shred(other, handle)).rejects.toThrow('no card');
        expect(await opened(acme, handle)).toEqual(card());
      });
    });

    describe('a card without an owner', () => {
      it('is listed if it is older than the given instant, until it is owned or shredded', async () => {
        nowMs = 1_000;
        const first = await keep();
        nowMs = 2_000;
        const second = await keep(card(), other);
        const listed = (beforeMs: number) => vault.ownerlessCards(instant(beforeMs), 1_000);
        expect(await listed(1_000)).toEqual([]);
        expect(await listed(1_001)).toEqual([{ merchant: acme, handle: first.handle, owner: 'payment-stream' }]);
        await vault.markOwned(acme, first.handle);
        await vault.markOwned(acme, first.handle);
        expect(await listed(9_000)).toEqual([{ merchant: other, handle: second.handle, owner: 'payment-stream' }]);
        await vault.shred(other, second.handle);
        expect(await listed(9_000)).toEqual([]);
        expect(await opened(acme, first.handle)).toEqual(card());
        await expect(vault.markOwned(acme, second.handle)).rejects.toThrow('no card');
      });

      it.each([0, -1, 1.5, 1_001, Number.NaN])('is not listed with a limit of %d', async (limit) => {
        await expect(vault.ownerlessCards(instant(1), limit)).rejects.toThrow(RangeError);
      });
    });

    describe("an order's sealed text", () => {
      it('opens with its key, also after a restart, but not for another merchant or field', async () => {
        const key = await vault.takeKey();
        const sealed = key.seal(acme, 'customer', '{"email":"j@example.com"}');
        expect(vault.keyOf(sealed)).toBe(key.id);
        expect(await vault.unseal(acme, 'customer', sealed)).toBe('{"email":"j@example.com"}');
        await vault.close();
        vault = await openVault();
        expect(await vault.unseal(acme, 'customer', sealed)).toBe('{"email":"j@example.com"}');
        await expect(vault.unseal(other, 'customer', sealed)).rejects.toThrow(SealedBoxRefused);
        await expect(vault.unseal(acme, 'phone', sealed)).rejects.toThrow(SealedBoxRefused);
      });

      it('is undefined after its key was erased, also after a restart, and other texts stay', async () => {
        const [gone, kept] = [await vault.takeKey(), await vault.takeKey()];
        const sealed = [gone, kept].map((key) => key.seal(acme, 'customer', key.id)) as [Sealed, Sealed];
        await vault.erase([gone.id]);
        await vault.erase([gone.id]);
        expect(await vault.unseal(acme, 'customer', sealed[0])).toBeUndefined();
        expect(() => gone.seal(acme, 'customer', 'more')).toThrow('was erased');
        await vault.close();
        vault = await openVault();
        expect(await vault.unseal(acme, 'customer', sealed[0])).toBeUndefined();
        expect(await vault.unseal(acme, 'customer', sealed[1])).toBe(kept.id);
      });

      it('throws for a key that was never created', async () => {
        const { id } = await vault.takeKey();
        const stranger = orderKeyId(Buffer.alloc(12, 1), 1);
        const sealed = (await vault.takeKey()).seal(acme, 'x', 'y').replace(/\.[^.]+\./, `.${stranger}.`) as Sealed;
        await expect(vault.unseal(acme, 'x', sealed)).rejects.toThrow(`order key ${stranger} was never made`);
        await expect(vault.erase([stranger, id])).rejects.toThrow('1 order keys to erase are unknown');
      });

      it('has a key that is stored before it is issued', async () => {
        for (let taken = 0; taken < 200; taken++) {
          const { id } = vault.takeKeyNow() ?? (await vault.takeKey());
          expect(await testVault.query('SELECT 1 FROM order_keys WHERE id = ?', id)).toHaveLength(1);
        }
      });

      it('does not share its key with another order, even after a crash', async () => {
        const taken: string[] = [];
        const texts: Sealed[] = [];
        for (let life = 0; life < 4; life++) {
          const keys = await Promise.all(Array.from({ length: 50 }, () => vault.takeKey()));
          taken.push(...keys.map(({ id }) => id));
          texts.push(...keys.map((key) => key.seal(acme, 'x', key.id)));
          await testVault.kill();
          await vault.close();
          vault = await openVault();
        }
        expect(new Set(taken).size).toBe(200);
        for (const text of texts) expect(await vault.unseal(acme, 'x', text)).toBe(vault.keyOf(text));
      });
    });

    describe('key ring rotation', () => {
      const LIVES = 5;
      const newKek = () => createSecretKey(randomBytes(32));
      const rotatedFrom = (ring: KeyRing): KeyRing => {
        const id = ring.primaryKekId + 1;
        return { ...ring, primaryKekId: id, keks: new Map([...ring.keks, [id, newKek()]]) };
      };
      const retiredFrom = (ring: KeyRing, id: number): KeyRing => ({
        ...ring,
        keks: new Map([...ring.keks].filter(([kek]) => kek !== id)),
        retired: new Set([...ring.retired, `kek:${id}`]),
      });
      const use = async () => (await vault.keyUse()).keys.map(({ id, cards, orderKeys }) => [id, cards, orderKeys > 0]);
      let file: KeyRing;
      const reopen = async (ring = file): Promise<void> => {
        await vault.close();
        vault = await openVault({ keyRing: ring, readKeyRing: () => file });
      };
      beforeEach(async () => {
        file = keyRing;
        await reopen();
      });

      it('takes effect in a running vault, writes new rows under the new key and rewraps old ones', async () => {
        const old = await keep();
        const key = await vault.takeKey();
        const text = key.seal(acme, 'x', 'an old text');
        expect(await vault.refreshKeyRing()).toBe(false);
        expect(await vault.rewrap()).toStrictEqual({ cards: 0, orderKeys: 0 });
        const taken: boolean[] = [];
        vault.onKeyRingTaken(() => void taken.push(vault.keyNames().includes('kek:2')));
        file = rotatedFrom(keyRing);
        expect(await vault.refreshKeyRing()).toBe(true);
        expect(await vault.refreshKeyRing()).toBe(false);
        expect(taken).toStrictEqual([true]);
        const young = await keep(card({ number: '5555555555554444' }));
        expect(await use()).toStrictEqual([
          [1, 1, true],
          [2, 1, false],
        ]);
        expect(await vault.rewrap()).toMatchObject({ cards: 1 });
        expect(await use()).toStrictEqual([
          [1, 0, false],
          [2, 2, true],
        ]);
        expect(await vault.rewrap()).toStrictEqual({ cards: 0, orderKeys: 0 });
        file = retiredFrom(file, 1);
        await reopen();
        expect(await opened(acme, old.handle)).toEqual(card());
        expect(await opened(acme, young.handle)).toEqual(card({ number: '5555555555554444' }));
        expect(await vault.unseal(acme, 'x', text)).toBe('an old text');
        expect((await keep()).uid).toBe(old.uid);
      });

      it('leaves shredded cards and erased keys unchanged', async () => {
        const gone = await keep();
        const key = await vault.takeKey();
        const text = key.seal(acme, 'x', 'gone');
        await vault.shred(acme, gone.handle);
        await vault.erase([key.id]);
        file = rotatedFrom(keyRing);
        await vault.refreshKeyRing();
        expect(await vault.rewrap()).toMatchObject({ cards: 0 });
        await expect(vault.open(acme, gone.handle)).rejects.toThrow(CardErased);
        expect(await vault.unseal(acme, 'x', text)).toBeUndefined();
        expect((await blobOf(gone.handle)).every((byte) => byte === 0)).toBe(true);
      });

      it('is picked up by another process as soon as it meets a row under the new key', async () => {
        const former = await openVault({ keyRing, readKeyRing: () => file });
        const unaware = await openVault({ keyRing });
        try {
          const old = await keep();
          file = rotatedFrom(keyRing);
          await vault.refreshKeyRing();
          const young = await keep();
          while ((await vault.keyUse()).keys.every(({ id, orderKeys }) => id === 1 || orderKeys === 0)) await vault.takeKey();
          await vault.rewrap();
          for (const { handle } of [old, young]) {
            expect((await former.open(acme, handle)).reveal()).toEqual(card());
            await expect(unaware.open(acme, handle)).rejects.toThrow(KeyRingFault);
          }
          const added = await unaware.keep(acme, new Secret(card()), 'payment-stream');
          expect(await opened(acme, added.handle)).toEqual(card());
          expect(await vault.rewrap()).toMatchObject({ cards: 1 });
        } finally {
          await former.close();
          await unaware.close();
        }
      });

      it('is rejected for a foreign key ring, and the current key ring stays in use', async () => {
        const { handle } = await keep();
        const others: readonly KeyRing[] = [
          newKeyRing({ primaryKekId: 2, keks: new Map([[2, newKek()]]) }),
          { ...rotatedFrom(keyRing), serviceKey: newKek() },
          {
            ...rotatedFrom(keyRing),
            keks: new Map([
              [1, newKek()],
              [2, newKek()],
            ]),
          },
        ];
        for (const other of others) {
          file = other;
          await expect(vault.refreshKeyRing()).rejects.toThrow(KeyRingFault);
          expect(await opened(acme, handle)).toEqual(card());
        }
        expect((await vault.keyUse()).primary).toBe(1);
      });

      it('rewraps every row and keeps all rows readable under load and repeated crashes', async () => {
        const handles: CardHandle[] = [];
        const texts: Sealed[] = [];
        const load = async (count: number): Promise<void> => {
          const made = await Promise.all(
            Array.from({ length: count }, async () => {
              const [kept, key] = await Promise.all([keep(), vault.takeKey()]);
              return { handle: kept.handle, text: key.seal(acme, 'x', key.id) };
            }),
          );
          handles.push(...made.map(({ handle }) => handle));
          texts.push(...made.map(({ text }) => text));
        };
        await load(40);
        file = rotatedFrom(keyRing);
        for (let life = 0; life < LIVES; life++) {
          await reopen(life === 0 ? keyRing : file);
          const rewrapping = (async () => {
            await load(4);
            await vault.refreshKeyRing();
            let batches = 0;
            await vault.rewrap(() => ++batches <= life);
          })();
          await load(4);
          await rewrapping;
          await testVault.kill();
        }
        await reopen();
        for (let pass = 0; pass < 3; pass++) await vault.rewrap();
        expect((await vault.keyUse()).keys).toMatchObject([
          { id: 1, cards: 0, orderKeys: 0 },
          { id: 2, cards: handles.length },
        ]);
        file = retiredFrom(file, 1);
        await reopen();
        for (const handle of handles) expect(await opened(acme, handle)).toEqual(card());
        for (const text of texts) expect(await vault.unseal(acme, 'x', text)).toBe(vault.keyOf(text));
        expect(handles.length).toBe(40 + LIVES * 8);
      });
    });

    describe('a vault', () => {
      it('opens only with the key ring that wrote it', async () => {
        const { handle } = await keep();
        await vault.close();
        await expect(openVault({ keyRing: newKeyRing() })).rejects.toThrow(KeyRingFault);
        vault = await openVault();
        expect(await opened(acme, handle)).toEqual(card());
      });
    });

    describe('the state of the vault', () => {
      it('is ready with order keys in stock and reports the reason after it is closed', async () => {
        expect(await vault.ready()).toMatchObject({ isReady: true, problem: undefined });
        expect((await vault.ready()).orderKeysAhead).toBeGreaterThan(0);
        await vault.close();
        expect(await vault.ready()).toEqual({ isReady: false, problem: 'the vault is closed', orderKeysAhead: 0 });
        await expect(keep()).rejects.toThrow(VaultUnavailable);
        await expect(vault.open(acme, 'x' as CardHandle)).rejects.toThrow(VaultUnavailable);
        await expect(vault.takeKey()).rejects.toThrow(VaultUnavailable);
      });

      it('closes while order keys are being created, and can be closed twice', async () => {
        while (vault.takeKeyNow() !== undefined);
        await Promise.all([vault.close(), vault.close()]);
        expect(vault.takeKeyNow()).toBeUndefined();
      });
    });
  });
};
