export type * from './domain/payment.events';
