import type { CardRefId } from '@app/kernel';
import type { AcceptedOrder, ProcessingEvent } from '@app/order-processing/domain';

export const RECURRENT_SCENARIOS = ['REGULAR', 'IRREGULAR'] as const;
export const RECURRENT_INITIATORS = ['CARDHOLDER', 'MERCHANT'] as const;

/** Handed to the gate as they came (interface, section 2.4). */
export interface RecurrentMarks {
  readonly scenario?: (typeof RECURRENT_SCENARIOS)[number];
  readonly initiator?: (typeof RECURRENT_INITIATORS)[number];
}

/** A charge of a registered card was taken in. */
export type RecurrentPaymentAccepted = {
  readonly type: 'OrderAccepted';
  readonly data: AcceptedOrder & { readonly cardRefId: CardRefId; readonly marks: RecurrentMarks };
};

export type RecurringEvent = RecurrentPaymentAccepted | ProcessingEvent;
