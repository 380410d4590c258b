export type { ErasureEvent } from './domain/erasure';
