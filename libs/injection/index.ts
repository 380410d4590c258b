export * from './provide';
export * from './system.module';
export * from './token';
