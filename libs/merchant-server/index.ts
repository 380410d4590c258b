export type { ConsumerAuthentication } from './application/issue-access-token.handler';
export type { ProductDecision } from './application/ports';
export {
  MERCHANT_SERVER_OPERATIONS,
  MerchantServerEdge,
  type MerchantServerOperationName,
  merchantServerRouteOf,
  type MerchantServerSettings,
  MountableMerchantServer,
  type ServedMerchantServerRequest,
} from './edge';
export { MERCHANT_SERVER_EVENT_CODECS } from './merchant-server.codec';
export { MerchantServerModule } from './merchant-server.module';
