export * from './event-store-contract';
export * from './golden-spec';
export * from './new-events';
export * from './observed-cases';
export * from './stumbling-store';
