import type { EnvelopeCardVault, EnvelopeCardVaultSettings } from '../envelope/envelope-card-vault';
import type { KeyRing } from '../key-ring/key-ring';
import type { VaultStore } from '../vault-store';

export type VaultSettings = Pick<EnvelopeCardVaultSettings, 'keyRing' | 'clock' | 'random' | 'orderKeysAhead'>;

/** A database in which nobody else gets on with a write. */
export interface Stalled {
  /** Writes of others that wait in the database; undefined where it cannot say. */
  waiting(): Promise<number | undefined>;
  end(): Promise<void>;
}

/** Test code: a database for one test, opened as often as the test wants, by as many at once as the database allows. */
export interface VaultPlace {
  openStore(keyRing: KeyRing): Promise<VaultStore>;
  openVault(settings: VaultSettings): Promise<EnvelopeCardVault>;
  /** Past the vault's own code; a `?` for each parameter. */
  query(sql: string, ...parameters: readonly (string | Uint8Array)[]): Promise<readonly Record<string, unknown>[]>;
  /** Until it is ended. */
  stall(): Promise<Stalled>;
  /** What is opened next finds what a kill at this moment leaves of those that are open. */
  kill(): Promise<void>;
  remove(): Promise<void>;
}

export const bytesOf = (value: unknown): Buffer => {
  if (!(value instanceof Uint8Array)) throw new Error(`${typeof value} where bytes were stored`);
  return Buffer.from(value);
};
