export type * from './domain/erasure.events';
