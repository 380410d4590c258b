export * from './databases';
export * from './postgres';
export * from './relay';
