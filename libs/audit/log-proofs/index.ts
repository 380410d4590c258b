export { isCheckpointOf, parseCheckpoint, timeOf, type SignedCheckpoint } from './checkpoint';
export { OriginDamaged, readOrigin } from './checkpoint-issuer';
export { DirectoryWitness, FilesPlace, type CheckpointPlace } from './checkpoint-places';
export {
  consistencyProblem,
  consistencyProofOf,
  consistencyProofText,
  eventProofProblem,
  EventProofs,
  eventProofText,
  PROOF_CHARACTERS_MAX,
  readProof,
  type ConsistencyProof,
  type EventPlace,
  type EventProof,
  type MadeProof,
} from './event-proof';
export {
  KeyRefused,
  makeSigningKeyFile,
  readOrMakeSigningKeyFile,
  readSigningKeyFile,
  readVerifyKeyFile,
  type SigningKey,
  type VerifyKey,
} from './keys';
export type { FoundCheckpoint } from './known-checkpoints';
export { dataDigestOf, leafText, parseLeaf, type ReadableLog } from './log-leaf';
export { LogProofs, type LogProofsHealth, type LogProofsWatch } from './log-proofs';
export { faultText } from './log-tree';
export { FolderFiles, type ProofFiles } from './proof-files';
export { TileDamaged } from './tiles';
export { verifyLog } from './verify-log';
export { findingText, type LogFinding, type PlaceCount, type VerifyLogReport } from './verify-report';
