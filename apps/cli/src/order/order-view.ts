import { readChained, type StreamName } from '@app/event-store';
import { foldOrderStatus, logEventOf, type OrderEvent, type OrderStatusView } from '@app/read-models';
import { decodeAny } from '@app/read-models/queries';
import type { EventLogReader } from '../service/event-log';

/** The view of an order by its stream. @throws Error for an event that this release cannot read; BrokenChain */
export const orderView = async (log: EventLogReader, stream: StreamName): Promise<OrderStatusView | undefined> => {
  let view: OrderStatusView | undefined;
  for await (const stored of readChained(log, stream)) {
    const event = decodeAny(stored);
    if (event !== undefined) view = foldOrderStatus(view, logEventOf(stored, event as OrderEvent));
  }
  return view;
};
