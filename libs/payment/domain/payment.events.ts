import type { AcceptedOrder, ProcessingEvent } from '@app/order-processing/domain';

/** An initial payment was taken in; from here on it becomes final, whoever is still listening. */
export type PaymentAccepted = {
  readonly type: 'OrderAccepted';
  readonly data: AcceptedOrder;
};

export type PaymentEvent = PaymentAccepted | ProcessingEvent;
