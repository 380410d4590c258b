export * from './log-proofs';
