export * from './chained-writer';
export * from './event-store-contract';
export * from './golden-files';
export * from './new-events';
export * from './observed-cases';
export * from './port-cases';
export * from './stumbling-store';
