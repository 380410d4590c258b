export * from './application/accept-payment.handler';
export * from './payment.codec';
export * from './payment.context';
export * from './payment.stream';
