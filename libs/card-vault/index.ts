export type { EnvelopeCardVault } from './envelope-card-vault';
export { KeyRingFault, type KeyRing } from './key-ring';
export { createKeyRing, loadKeyRing } from './key-ring-file';
export { openSqliteVault, type SqliteVaultSettings } from './open-sqlite-vault';
export * from './port';
