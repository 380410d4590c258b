import type { ClientOrderId } from '@app/kernel';
import { eventCodec, f, type EventCodec } from '@app/event-store';
import { FINAL_STATUSES, type OrderEndEvent, type OrderEndTold } from './domain/order-end.events';
import { ORDER_END_CATEGORY } from './merchant-server.stream';

export const orderEndCodec: EventCodec<OrderEndEvent> = eventCodec<OrderEndEvent>(ORDER_END_CATEGORY, {
  OrderEndTold: {
    version: 1,
    meaning: 'The gateway told how an order ended; the part of its callback that the checksum covers.',
    schema: f.object<OrderEndTold['data']>({
      clientOrderId: f.merchantText<ClientOrderId>(),
      orderId: f.gateReference(),
      status: f.oneOf(...FINAL_STATUSES),
      toldAt: f.instant(),
    }),
  },
});
