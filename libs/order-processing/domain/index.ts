export * from './accepted-order';
export * from './attempt.events';
export * from './attempts';
export * from './final.events';
export * from './next-step';
export * from './processing';
