import { Secret, systemClock, systemRandom, type MerchantLogin } from '@app/kernel';
import { newKeyRing } from '../testing/keys';
import { MemoryVault } from '../testing/memory-vault';
import { MemoryVaultStore } from '../testing/memory-vault-store';
import { vaultOver } from '../testing/vault-over';
import type { NewCard } from '../vault-store';

const acme = 'acme' as MerchantLogin;
const card = { number: '4444333322221111', expiryMonth: 7, expiryYear: 2031, holder: 'JOHN SMITH' };

const keepingWith = async (takenCount: number) => {
  const keyRing = newKeyRing();
  const memory = new MemoryVault();
  const store = new MemoryVaultStore({ vault: memory, keyRing });
  const insert = store.insertCard.bind(store);
  const asked: NewCard[] = [];
  store.insertCard = (wanted, deadline) => {
    asked.push(wanted);
    return asked.length <= takenCount ? Promise.resolve({ kind: 'uid-taken' }) : insert(wanted, deadline);
  };
  const vault = await vaultOver({ store, keyRing, clock: systemClock, random: systemRandom, orderKeysAhead: 4 });
  return { memory, asked, vault };
};

describe('keeping a card whose uid is already taken', () => {
  it('draws another uid for the same handle, at most ten times', async () => {
    const { vault, asked, memory } = await keepingWith(9);
    const { handle, uid } = await vault.keep(acme, new Secret(card), 'payment-stream');
    expect([asked.length, new Set(asked.map((wanted) => wanted.uid)).size]).toStrictEqual([10, 10]);
    expect([...memory.cards.keys()]).toStrictEqual([handle]);
    expect(asked.at(-1)).toMatchObject({ handle, uid });
    await vault.close();
  });

  it('fails after ten taken uids and stores nothing', async () => {
    const { vault, asked, memory } = await keepingWith(10);
    await expect(vault.keep(acme, new Secret(card), 'payment-stream')).rejects.toStrictEqual(
      new Error('the random source repeats itself: 10 card uids were taken'),
    );
    expect([asked.length, memory.cards.size]).toStrictEqual([10, 0]);
    await vault.close();
  });
});
