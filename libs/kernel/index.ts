export * from './brand';
export * from './card';
export * from './decider';
export * from './ids';
export * from './money';
export * from './ports';
export * from './secret';
export * from './system';
