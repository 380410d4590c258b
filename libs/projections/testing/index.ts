export * from './memory-database';
