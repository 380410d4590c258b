export * from './application/consumer-authentication';
export * from './application/product-checks';
export * from './domain/terms';
export {
  MERCHANT_SERVER_OPERATIONS,
  MerchantServerEdge,
  merchantServerRouteOf,
  MountableMerchantServer,
  type MerchantServerOperationName,
  type ServedMerchantServerRequest,
  type MerchantServerSettings,
} from './edge';
export { MERCHANT_SERVER_EVENT_CODECS } from './event-codecs';
export * from './merchant-server.module';
