export * from './application/charge-registered-card.handler';
export { type RecurrentMarks } from './domain/recurring.events';
export * from './recurring.codec';
export * from './recurring.context';
export * from './recurring.stream';
