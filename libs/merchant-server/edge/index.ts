export * from './routes';
export { MerchantServerEdge, type MerchantServerLog, type ServedMerchantServerRequest } from './merchant-server-edge';
export { MountableMerchantServer, type MerchantServerSettings } from './mountable-merchant-server';
export { MERCHANT_SERVER_OPERATIONS, type MerchantServerOperationName } from './operations';
