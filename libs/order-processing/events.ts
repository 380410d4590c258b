export type * from './order/domain/accepted-order';
export type * from './attempts/domain/attempt.events';
export type * from './device/domain/device.events';
export type * from './order/domain/final.events';
export type * from './disputes/domain/dispute.events';
export type * from './follow-ups/domain/follow-up.events';
export type { MappedReferences } from './order/domain/order-fact';
export type * from './routing/domain/routing.events';
export type * from './screening/domain/screening.events';
