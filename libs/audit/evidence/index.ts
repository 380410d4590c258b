export type { Evidence, EvidenceStream, Json, ProvenEvent, TimelineEntry } from './pack/evidence';
export { packEvidence, type PackSettings } from './pack/evidence-pack';
export { WITHHELD, withheldData } from './pack/withheld';
