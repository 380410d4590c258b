export * from './list-cursor';
export * from './list-orders';
export * from './list-question';
export * from './listed-order';
export * from './notice';
