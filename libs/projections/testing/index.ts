export * from './memory-database';
export type { DiskCopy, SpoiltRow } from './disk-copy';
export { orderLife } from './order-life';
export { paymentAccepted, START } from './sample-orders';
