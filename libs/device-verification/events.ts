export type * from './domain/device-verification.events';
