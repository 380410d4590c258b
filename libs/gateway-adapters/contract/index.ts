export * from './adapter';
export * from './gate';
