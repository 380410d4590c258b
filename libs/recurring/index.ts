export { ChargeRegisteredCardHandler } from './application/charge-registered-card.handler';
export { recurringCodec, recurringContext, RECURRING_CATEGORY, recurringStream } from './application/recurring.codec';
export type { RecurrentMarks } from './domain/recurring';
