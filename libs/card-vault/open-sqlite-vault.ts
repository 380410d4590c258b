import { systemRandom, type Clock, type Random } from '@app/kernel';
import { EnvelopeCardVault } from './envelope-card-vault';
import { SqliteVaultStore, type SqliteVaultStoreSettings } from './sqlite-vault-store';

export interface SqliteVaultSettings extends SqliteVaultStoreSettings {
  readonly clock: Clock;
  readonly random?: Random;
  /** Durable order keys in stock. */
  readonly orderKeysAhead?: number;
}

/**
 * The embedded default: the vault in one SQLite file (`VAULT_URL`).
 * @throws KeyRingFault where the file was written with other keys; Error where it cannot be opened
 */
export const openSqliteVault = async ({
  clock,
  random,
  orderKeysAhead,
  ...storeSettings
}: SqliteVaultSettings): Promise<EnvelopeCardVault> => {
  const store = await SqliteVaultStore.open(storeSettings);
  try {
    return await EnvelopeCardVault.open({
      store,
      keyRing: storeSettings.keyRing,
      clock,
      random: random ?? systemRandom,
      ...(orderKeysAhead === undefined ? {} : { orderKeysAhead }),
    });
  } catch (error) {
    await store.close();
    throw error;
  }
};
