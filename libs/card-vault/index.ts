export type { EnvelopeCardVault } from './envelope-card-vault';
export { KeyRingFault, type KeyRing } from './key-ring';
export { createKeyRing, loadKeyRing, loadOrCreateKeyRing } from './key-ring-file';
export {
  openPostgresVault,
  openSqliteVault,
  openVault,
  type PostgresVaultSettings,
  type SqliteVaultSettings,
  type VaultSettings,
} from './open-vault';
export * from './port';
export { RingSealer } from './ring-sealer';
export { KeyedDigests } from './service-digests';
