export * from './adapter';
export * from './gate';
export type * from './answers';
export type * from './inbound';
export type * from './requests';
