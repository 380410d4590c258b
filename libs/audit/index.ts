export * from './orders';
export * from './shape';
