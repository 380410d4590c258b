import type { AcceptedOrder, ProcessingEvent } from '@app/orders/domain';

/** An initial payment was accepted; from here on it always becomes final. */
export type PaymentAccepted = {
  readonly type: 'OrderAccepted';
  readonly data: AcceptedOrder;
};

export type PaymentEvent = PaymentAccepted | ProcessingEvent;
