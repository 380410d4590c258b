export type * from './domain/card-registration.events';
