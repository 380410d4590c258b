export type { EnvelopeCardVault, KeyUse } from './envelope/envelope-card-vault';
export { KeyRingFault, type KeyRing } from './key-ring/key-ring';
export { createKeyRing, keyRingChangedAt, loadKeyRing, loadOrCreateKeyRing, retireKek, rotateKeyRing } from './key-ring/key-ring-file';
export { receivingFaceOf } from './masked-card';
export {
  openPostgresVault,
  openSqliteVault,
  openVault,
  type PostgresVaultSettings,
  type SqliteVaultSettings,
  type VaultSettings,
} from './open-vault';
export * from './port';
export { RingSealer } from './envelope/ring-sealer';
export { emailDigest } from './email-digest';
export { orderKeyOf } from './envelope/order-keys/order-key';
export { KeyedDigests } from './envelope/service-digests';
