export type * from './domain/case.events';
export type * from './domain/findings';
