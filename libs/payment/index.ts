export { AcceptPaymentHandler } from './application/accept-payment.handler';
export { paymentCodec, paymentContext, PAYMENT_CATEGORY, paymentStream } from './application/payment.codec';
