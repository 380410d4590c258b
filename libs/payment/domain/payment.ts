import {
  type AcceptedOrder,
  type ProcessingEvent,
  evolveProcessing,
  processingOf,
  type Processing,
  answerToRepeat,
  decideProcessing,
  termsOf,
  type AcceptanceRejection,
  type Offer,
  type Operation,
  type ProcessingCommand,
  type ProcessingRejection,
  type RequestedOrder,
} from '@app/orders/domain';
import type { Decider, Instant, NonEmpty } from '@app/kernel';

export type PaymentAccepted = {
  readonly type: 'OrderAccepted';
  readonly data: AcceptedOrder;
};

export type PaymentEvent = PaymentAccepted | ProcessingEvent;

export type Payment =
  { readonly status: 'none' } | { readonly status: 'accepted'; readonly order: AcceptedOrder; readonly processing: Processing };

const evolve = (state: Payment, event: PaymentEvent): Payment => {
  if (event.type === 'OrderAccepted') {
    if (state.status !== 'none') throw new Error('OrderAccepted twice');
    return { status: 'accepted', order: event.data, processing: processingOf(event.data) };
  }
  if (state.status === 'none') throw new Error(`${event.type} before OrderAccepted`);
  return { ...state, processing: evolveProcessing(state.processing, event) };
};

export interface AcceptPayment {
  readonly type: 'AcceptPayment';
  readonly data: { readonly order: RequestedOrder; readonly operation: Operation; readonly offer: Offer; readonly now: Instant };
}

type PaymentCommand = AcceptPayment | ProcessingCommand;
type PaymentRejection = AcceptanceRejection | ProcessingRejection;

const acceptPayment = ({ data }: AcceptPayment, state: Payment): NonEmpty<PaymentEvent> | AcceptanceRejection => {
  const { order, operation, offer, now } = data;
  if (state.status !== 'none') return answerToRepeat(state.order, order.contentDigest);
  const terms = termsOf(offer, { operation, amount: order.amount });
  if ('reason' in terms) return terms;
  const { endpointId, plan } = terms;
  return [{ type: 'OrderAccepted', data: { endpointId, plan, acceptedAt: now, ...order } }];
};

export const payment: Decider<PaymentCommand, PaymentEvent, Payment, PaymentRejection> = {
  initial: { status: 'none' },
  evolve,
  decide: (command, state) => {
    if (command.type === 'AcceptPayment') return acceptPayment(command, state);
    return state.status === 'none' ? { reason: 'nothing-new' } : decideProcessing(command, state.processing);
  },
};
