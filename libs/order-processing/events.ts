export type * from './domain/accepted-order';
export type * from './domain/attempt.events';
export type * from './domain/device/device.events';
export type * from './domain/final.events';
export type * from './domain/follow-up.events';
export type { MappedReferences } from './domain/order-fact';
export type * from './domain/routing.events';
export type * from './domain/screening.events';
