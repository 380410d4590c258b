export * from './as-of';
export * from './replay';
