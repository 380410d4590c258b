export { consumerOf, type Consumer, type ConsumerMatch } from './gather/consumer';
export { gatherEvidence, NoEvidence, NotProven, type EvidencePorts, type SentCallback } from './gather/gather-evidence';
export type { RelatedEvent } from './gather/related-event';
export type { Evidence, EvidenceStream, Json, ProvenEvent, TimelineEntry } from './pack/evidence';
export { fileInPack, packEvidence, type PackSettings } from './pack/evidence-pack';
export { WITHHELD } from './pack/withheld';
