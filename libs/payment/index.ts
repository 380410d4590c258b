export { AcceptPaymentHandler } from './application/accept-payment.handler';
export { paymentCodec } from './application/payment.codec';
export { paymentContext } from './application/payment.context';
export { PAYMENT_CATEGORY, paymentStream } from './application/payment.stream';
