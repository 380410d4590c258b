export { MerchantServerEdge, type MerchantServerLog, type ServedMerchantServerRequest } from './merchant-server-edge';
export { type MerchantServerSettings, MountableMerchantServer } from './mountable-merchant-server';
export { MERCHANT_SERVER_OPERATIONS, type MerchantServerOperationName } from './operations';
export { merchantServerRouteOf } from './routes';
