export * from './desk-routes';
export { DeskEdge, type DeskLog } from './desk-edge';
export { MerchantDesk, type MerchantDeskSettings } from './merchant-desk';
