import { DELIVERY_CATEGORY } from '@app/callbacks';
import { categoryOf } from '@app/event-store';
import type { PartitionKey } from '../engine/projecting/partitions';

const orderStreamIn = (data: string): string | undefined => {
  try {
    const { orderStream } = JSON.parse(data) as { readonly orderStream?: unknown };
    return typeof orderStream === 'string' ? orderStream : undefined;
  } catch {
    return undefined;
  }
};

/** An order and its deliveries share a partition: the order's end opens delivery work, and the delivery's stream closes it. */
export const orderPartitionKey: PartitionKey = ({ stream, data }) => {
  const isDelivery = categoryOf(stream) === DELIVERY_CATEGORY;
  return isDelivery ? orderStreamIn(data) : stream;
};
