export * from './orders';
export * from './shape';
export * from './trail';
