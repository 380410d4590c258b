export type { ConsumerAuthentication } from './application/consumer-authentication';
export type { ProductDecision } from './application/product-checks';
export {
  MERCHANT_SERVER_OPERATIONS,
  MerchantServerEdge,
  type MerchantServerOperationName,
  merchantServerRouteOf,
  type MerchantServerSettings,
  MountableMerchantServer,
  type ServedMerchantServerRequest,
} from './edge';
export { MERCHANT_SERVER_EVENT_CODECS } from './event-codecs';
export { MerchantServerModule } from './merchant-server.module';
