export * from './routes';
export { MerchantServerEdge, type MerchantServerLog, type ServedMerchantServerRequest } from './merchant-server-edge';
export { MountableMerchantServer, type MerchantServerSettings } from './mountable-merchant-server';
export type { MerchantServerOperationName } from './operations';
