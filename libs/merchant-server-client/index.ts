export * from './answered-cards';
export * from './check-call';
export * from './device-texts';
export * from './device-transaction';
export * from './merchant-server-egress';
export * from './notification-call';
export * from './order-merchant-server';
