export { type InitialPaymentPorts, InitialPaymentTranslations } from './initial-payment.translation';
export { PaymentController } from './payment.controller';
