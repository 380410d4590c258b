import { systemRandom, type Clock, type Random, type Secret } from '@app/kernel';
import { EnvelopeCardVault } from './envelope/envelope-card-vault';
import { type KeyRing, LiveKeyRing } from './keys/key-ring';
import { PostgresVaultStore, type PostgresVaultStoreSettings } from './stores/postgres-vault-store';
import { SqliteVaultStore, type SqliteVaultStoreSettings } from './stores/sqlite-vault-store';
import type { VaultStore } from './vault-store';

interface Common {
  readonly readKeyRing?: () => KeyRing;
  readonly clock: Clock;
  readonly random?: Random;
  readonly orderKeysAhead?: number;
}

type SqliteVaultSettings = SqliteVaultStoreSettings & Common;
type PostgresVaultSettings = PostgresVaultStoreSettings & Common;

/**
 * The embedded default: the vault in one SQLite file (`VAULT_URL`).
 * @throws KeyRingFault if the file was written with other keys; Error if it cannot be opened
 */
export const openSqliteVault = async (settings: SqliteVaultSettings): Promise<EnvelopeCardVault> => {
  const keyRing = new LiveKeyRing(settings.keyRing);
  return over(await SqliteVaultStore.open({ ...settings, keyRing }), { ...settings, keyRing });
};

/**
 * For production: a separate PostgreSQL database and role (`VAULT_URL`), shared by any number of processes.
 * @throws KeyRingFault if it was written with other keys; DatabaseUnusable with one line if it cannot be used
 */
export const openPostgresVault = async (settings: PostgresVaultSettings): Promise<EnvelopeCardVault> => {
  const keyRing = new LiveKeyRing(settings.keyRing);
  return over(await PostgresVaultStore.open({ ...settings, keyRing }), { ...settings, keyRing });
};

export interface VaultSettings extends Common {
  readonly at: { readonly kind: 'file'; readonly path: string } | { readonly kind: 'postgres'; readonly url: Secret<string> };
  readonly keyRing: KeyRing;
  /** Called once, for a file: the stored state is unknown and the process must stop (safety, F25). */
  readonly onBroken?: (error: Error) => void;
}

/** @throws as the two functions above */
export const openVault = ({ at, onBroken, ...settings }: VaultSettings): Promise<EnvelopeCardVault> =>
  at.kind === 'file'
    ? openSqliteVault({ ...settings, path: at.path, ...(onBroken !== undefined && { onBroken }) })
    : openPostgresVault({ ...settings, url: at.url });

const over = async (
  store: VaultStore,
  { keyRing, readKeyRing, clock, random, orderKeysAhead }: Common & { keyRing: KeyRing },
): Promise<EnvelopeCardVault> => {
  try {
    return await EnvelopeCardVault.open({
      store,
      keyRing,
      clock,
      random: random ?? systemRandom,
      ...(readKeyRing && { readKeyRing }),
      ...(orderKeysAhead !== undefined && { orderKeysAhead }),
    });
  } catch (error) {
    await store.close();
    throw error;
  }
};
