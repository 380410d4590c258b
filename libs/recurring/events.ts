export type * from './domain/recurring.events';
