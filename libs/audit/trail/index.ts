export * from './conceal-sealed';
export * from './order-trail';
export * from './token-end';
export * from './trail-entry';
