export type { PaymentAccepted, PaymentEvent } from './domain/payment';
