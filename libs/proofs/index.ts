/** Checks of the log's proofs without Node, for browsers. Written apart from the code that makes them. */
export { fromBase64 } from './bytes';
export { isConsistent, isIncluded } from './merkle';
export { readCheckpoint, readLogKey, type Checkpoint, type LogKey } from './signed-notes';
export { leafOf, linkOf } from './stored-events';
export { PACK_BYTES_MAX, verifyPack, type PackPart, type PackVerdict } from './evidence-pack';
