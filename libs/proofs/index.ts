/** Checks of the log's proofs without Node, for browsers. Written apart from the code that makes them. */
export { fromBase64, hex } from './bytes';
export { isConsistent, isIncluded, type TreeHead } from './merkle';
export { readCheckpoint, readLogKey, type Checkpoint, type LogKey } from './signed-notes';
export { digestOf, leafOf, linkOf, type StoredEventText } from './stored-events';
export { PACK_BYTES_MAX, verifyPack, type PackContents, type PackFault, type PackPart, type PackVerdict } from './evidence-pack';
