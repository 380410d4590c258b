export type * from './domain/access-token/access-token.events';
export type * from './domain/terms';
export type * from './domain/invoice/invoice.events';
export type * from './domain/order-end/order-end.events';
export type * from './domain/session/session.events';
export type * from './domain/wallet/wallet.events';
