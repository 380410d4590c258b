export { type ErasureEvent, erasedCards, erasedTexts, type Erasure, evolve, NOTHING_ERASED } from './domain/erasure';
export { type AgedOrder, hasRules, type RetentionRules } from './domain/retention';
export { EraseOrder, LegalHolds, type ErasableDataReader, type Obstacle, type ErasableData } from './erase-order';
export { erasureAsJson, type ErasureJson } from './erasure-as-json';
export { erasureOf, erasureCodec, ERASURE_CATEGORY, erasureStream } from './erasure.codec';
export { type ErasureListener, erasureWork, retentionShape, retentionWork } from './erasure-work';
export { foreseeRetention, type ForeseenErasure, type WhyNotErased } from './foresee-retention';
export { type AgedErasableData, RetainOrder } from './retain-order';
