export { gatherEvidence, NoEvidence, NotProven, type EvidencePorts, type SentCallback } from './gather/gather-evidence';
export type { RelatedEvent } from './gather/related-event';
export type { Json } from './pack/evidence';
export { fileInPack, packEvidence } from './pack/evidence-pack';
export { WITHHELD } from './pack/withheld';
