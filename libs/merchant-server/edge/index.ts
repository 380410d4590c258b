export * from './desk-routes';
export { DeskEdge, type DeskLog, type DeskServed } from './desk-edge';
export { MerchantDesk, type MerchantDeskSettings } from './merchant-desk';
