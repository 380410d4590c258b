export * from './advisory-lock';
export * from './database';
export * from './database-unusable';
export * from './kysely';
export * from './migrate';
export { openPools, type PoolFigures } from './open-pools';
