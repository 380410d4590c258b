export type * from './domain/transfer.events';
