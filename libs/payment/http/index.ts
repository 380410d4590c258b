export { type InitialPaymentPorts, InitialPaymentTranslations, PaymentController } from './payment.controller';
