export type * from './domain/access-token.events';
export type * from './domain/terms';
export type * from './domain/invoice.events';
export type * from './domain/order-end.events';
export type * from './domain/session.events';
export type * from './domain/wallet.events';
