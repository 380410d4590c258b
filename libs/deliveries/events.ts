export type * from './domain/delivery.events';
