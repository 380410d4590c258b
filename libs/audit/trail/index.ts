export * from './conceal-sealed';
export * from './order-trail';
export * from './shown-text';
export * from './token-end';
export * from './trail-entry';
