export * from './as-of';
export * from './evidence';
export * from './log-proofs';
export * from './orders';
export * from './replay';
export * from './shape';
export * from './trail';
