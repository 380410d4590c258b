export * from './application/consumer-authentication';
export * from './application/product-checks';
export * from './domain/desk-terms';
export { DeskEdge, MerchantDesk, type DeskLog, type DeskServed, type MerchantDeskSettings } from './edge';
export { DESK_EVENT_CODECS } from './event-codecs';
export * from './merchant-desk.module';
