export * from './check-call';
export * from './notification-call';
export type { MerchantServerAccount } from './server-call';
