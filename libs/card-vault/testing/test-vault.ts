import type { EnvelopeCardVault, EnvelopeCardVaultSettings } from '../envelope/envelope-card-vault';
import type { KeyRing } from '../keys/key-ring';
import type { VaultStore } from '../vault-store';

export type VaultSettings = Pick<EnvelopeCardVaultSettings, 'keyRing' | 'readKeyRing' | 'clock' | 'random' | 'orderKeysAhead'>;

interface Stalled {
  /** Count of waiting writes; undefined if the database does not report it. */
  waiting(): Promise<number | undefined>;
  end(): Promise<void>;
}

export interface TestVault {
  openStore(keyRing: KeyRing): Promise<VaultStore>;
  openVault(settings: VaultSettings): Promise<EnvelopeCardVault>;
  query(sql: string, ...parameters: readonly (string | Uint8Array)[]): Promise<readonly Record<string, unknown>[]>;
  stall(): Promise<Stalled>;
  /** Leaves the database as a kill of the open vaults at this moment would. */
  kill(): Promise<void>;
  remove(): Promise<void>;
}

export const bytesOf = (value: unknown): Buffer => {
  if (!(value instanceof Uint8Array)) throw new Error(`${typeof value} where bytes were stored`);
  return Buffer.from(value);
};
