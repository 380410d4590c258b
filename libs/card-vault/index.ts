export { emailDigest } from './email-digest';
export type { EnvelopeCardVault } from './envelope/envelope-card-vault';
export { RingSealer } from './envelope/ring-sealer';
export { KeyedDigests } from './envelope/service-digests';
export { type KeyRing, KeyRingFault } from './keys/key-ring';
export { createKeyRing, keyRingChangedAt, loadKeyRing, loadOrCreateKeyRing, retireKek, rotateKeyRing } from './keys/key-ring-file';
export { orderKeyOf } from './keys/order-key';
export { receivingFaceOf } from './masked-card';
export { openSqliteVault, openVault } from './open-vault';
export {
  CardErased,
  type CardOwnership,
  type CardUidNumbers,
  type CardVault,
  type OrderKey,
  type OrderKeyId,
  type OrderSealer,
  type OwnerlessCard,
  type ServiceDigests,
  type TextSealer,
  VaultUnavailable,
} from './port';
