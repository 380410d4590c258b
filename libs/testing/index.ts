export * from './given-when-then';
export * from './gate-contract';
export * from './sample-attempts';
export * from './sample-facts';
export * from './sample-follow-ups';
export * from './sample-orders';
export * from './seeded-chance';
export * from './virtual-clock';
