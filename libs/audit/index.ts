export * from './as-of';
