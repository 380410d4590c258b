import { randomBytes } from 'node:crypto';
import type { CardHandle, CardUid, MerchantLogin } from '@app/kernel';
import { drawOrderKeys, orderKeyId } from '../keys/order-keys';
import type { NewCard } from '../vault-store';
import { instant, newKeyRing } from './keys';
import { MemoryVault } from './memory-vault';
import { MemoryVaultStore } from './memory-vault-store';
import { describeVaultStore } from './vault-store.contract';

describeVaultStore('memory', () => {
  const vault = new MemoryVault();
  return Promise.resolve({
    openStore: (keyRing) => Promise.resolve(new MemoryVaultStore({ vault, keyRing })),
    stall: () => {
      vault.stall();
      return Promise.resolve({
        waiting: () => Promise.resolve(vault.waitingCount),
        end: () => Promise.resolve(vault.resume()),
      });
    },
    remove: () => Promise.resolve(),
  });
});

const acme = 'acme' as MerchantLogin;
const keyRing = newKeyRing();
const newCard = (): NewCard => ({
  merchant: acme,
  handle: 'handle-1' as CardHandle,
  blob: randomBytes(32),
  owner: 'payment-stream',
  createdAt: instant(1_000),
  indexes: [{ keyId: 1, index: randomBytes(32) }],
  uid: 'uid-1' as CardUid,
  uidNumber: 1e8,
});

describe('MemoryVault', () => {
  const vault = new MemoryVault();
  const [one, other] = [new MemoryVaultStore({ vault, keyRing }), new MemoryVaultStore({ vault, keyRing })] as const;

  it('copies its bytes, so that a caller cannot change them', async () => {
    const card = newCard();
    const bytes = Buffer.from(card.blob);
    await one.insertCard(card);
    card.blob.fill(0);
    (await other.findCard(acme, card.handle))?.fill(0);
    const found = await other.findCard(acme, card.handle);
    await one.shredCard(acme, card.handle);
    expect(Buffer.from(found ?? [])).toStrictEqual(bytes);
  });

  it('stores a key under the id of the drawn block', async () => {
    const block = drawOrderKeys(1);
    const store = new MemoryVaultStore({ vault, keyRing, drawKeys: () => block });
    await expect(store.makeOrderKeys(1)).resolves.toBe(block);
    await expect(other.findOrderKey(orderKeyId(block.id, 0))).resolves.toMatchObject({ kekId: 1 });
  });

  it('completes a stalled write after it resumes', async () => {
    const held = new MemoryVault();
    const store = new MemoryVaultStore({ vault: held, keyRing });
    const card = newCard();
    held.stall();
    const writing = store.insertCard(card);
    await expect(store.findCard(acme, card.handle)).resolves.toBeUndefined();
    held.resume();
    await expect(writing).resolves.toStrictEqual({ kind: 'kept', uid: card.uid });
    await expect(store.findCard(acme, card.handle)).resolves.toHaveLength(32);
  });
});
