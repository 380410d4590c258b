export * from './application/charge-registered-card.handler';
export type { CardReference } from './domain/recurring.decide';
export { RECURRENT_INITIATORS, RECURRENT_SCENARIOS, type RecurrentMarks } from './domain/recurring.events';
export * from './recurring.codec';
export * from './recurring.context';
export * from './recurring.stream';
