export type { DiskCopy } from './disk-copy';
export { type MemoryDatabase, MemoryDisk } from './memory-database';
export { orderLife } from './order-life';
export { paymentAccepted, START } from './sample-orders';
export { projectWholeLog } from './written-log';
