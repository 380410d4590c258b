export type { RecurrentPaymentAccepted, RecurringEvent } from './domain/recurring';
