export { ChargeRegisteredCardHandler } from './application/charge-registered-card.handler';
export { recurringCodec } from './application/recurring.codec';
export { recurringContext } from './application/recurring.context';
export { RECURRING_CATEGORY, recurringStream } from './application/recurring.stream';
export type { RecurrentMarks } from './domain/recurring.events';
