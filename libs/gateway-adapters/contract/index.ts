export * from './adapter';
export * from './gate';
export * from './registered-cards';
export * from './settlement';
export type * from './answers';
export type * from './inbound';
export type * from './requests';
