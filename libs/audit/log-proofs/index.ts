export { faultText, type TreeFault } from './building/tree-fault';
export { DirectoryWitness, FilesPlace, type CheckpointPlace } from './building/checkpoint-place';
export { OriginDamaged, readOrigin } from './building/log-origin';
export { dataDigestOf, hasLeaf, leafText, parseLeaf, textOfLeaf, type Leaf, type LeafHead } from './building/log-leaf';
export { LogProofs, type LogProofsHealth, type LogProofsSettings, type LogProofsWatch } from './building/log-proofs';
export type { ReadableLog } from './building/read-log';
export { isCheckpointOf, parseCheckpoint, timeOf, type Checkpoint, type SignedCheckpoint } from './checkpoints/checkpoint';
export { KeyRefused, readSigningKey, readVerifyKey, type SigningKey, type VerifyKey } from './checkpoints/log-key';
export { makeSigningKeyFile, readOrMakeSigningKeyFile, readSigningKeyFile, readVerifyKeyFile } from './checkpoints/key-file';
export { FolderFiles } from './files/folder-files';
export type { ProofFiles } from './files/proof-files';
export { isConsistent, isIncluded, type InclusionClaim, type TreeHead } from './merkle';
export { leafHash } from './merkle';
export { TileDamaged } from './tiles/tile-reader';
export {
  consistencyProblem,
  consistencyProofOf,
  eventProofProblem,
  EventProofs,
  isConsistencyProof,
  isEventProof,
  type ConsistencyProof,
  type EventPlace,
  type EventProof,
  type MadePlaces,
  type MadeProof,
} from './verifying/event-proof';
export { findingText, type LogFinding } from './verifying/log-finding';
export { consistencyProofText, eventProofText, PROOF_CHARACTERS_MAX, readProof, type ReadProof } from './verifying/proof-text';
export { verifyLog } from './verifying/verify-log';
export type { VerifyLogSettings } from './verifying/verify-log-settings';
export type { VerifyLogReport } from './verifying/verify-report';
export type { FoundCheckpoint, PlaceCount } from './verifying/known-checkpoints';
