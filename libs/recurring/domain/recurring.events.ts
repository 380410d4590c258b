import type { CardRefId } from '@app/kernel';
import type { AcceptedOrder, CardAtGates, ProcessingEvent } from '@app/orders/domain';

export const RECURRENT_SCENARIOS = ['REGULAR', 'IRREGULAR'] as const;
export const RECURRENT_INITIATORS = ['CARDHOLDER', 'MERCHANT'] as const;

/** Passed on to the gate unchanged (interface, section 2.4). */
export interface RecurrentMarks {
  readonly scenario?: (typeof RECURRENT_SCENARIOS)[number];
  readonly initiator?: (typeof RECURRENT_INITIATORS)[number];
}

/** A charge of a registered card was accepted. */
export type RecurrentPaymentAccepted = {
  readonly type: 'OrderAccepted';
  readonly data: AcceptedOrder & {
    readonly cardRefId: CardRefId;
    readonly marks: RecurrentMarks;
    /** What the planned gates know the card by, as its reference had it then; absent where they know nothing. */
    readonly atGates?: CardAtGates;
  };
};

export type RecurringEvent = RecurrentPaymentAccepted | ProcessingEvent;
