import type { PlantedBug } from '../planted-bug';

/** A delivery's events are projected by another process than its order's, which may not have opened yet what they close. */
export const deliveryInItsOwnPartition: PlantedBug = {
  name: 'delivery-in-its-own-partition',
  edits: [{ file: 'libs/order-queries/partition-key.ts', find: 'isDelivery ? orderStreamIn(data) : stream', put: 'stream' }],
  seed: 287,
  violates: 'no work is open at rest',
};
