export { emailDigest, KeyedDigests } from './envelope/digests';
export type { EnvelopeCardVault, KeyUse } from './envelope/envelope-card-vault';
export { RingSealer } from './envelope/ring-sealer';
export { type KeyRing, KeyRingFault } from './keys/key-ring';
export { createKeyRing, keyRingChangedAt, loadKeyRing, loadOrCreateKeyRing, retireKek, rotateKeyRing } from './keys/key-ring-file';
export { IV_BYTES, open as openBox, seal as sealBox, SealedBoxRefused } from './keys/sealed-box';
export { orderKeyOf } from './keys/order-keys';
export {
  receivingFaceOf,
  CardErased,
  type CardOwnership,
  type CardUidNumbers,
  type CardVault,
  type OrderKey,
  type OrderKeyId,
  type OrderSealer,
  type OwnerlessCard,
  type ServiceDigests,
  type ServiceKeyStream,
  type TextSealer,
  VaultUnavailable,
} from './port';
export { openSqliteVault, openVault } from './open-vault';
