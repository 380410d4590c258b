import type { Decider, Instant, NonEmpty } from '@app/kernel';
import {
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
import type { PaymentEvent } from './payment.events';
import { evolve, type Payment } from './payment.state';

/** A payer's first payment or first verification with this card, which is given by its number. */
export interface AcceptPayment {
  readonly type: 'AcceptPayment';
  readonly data: { readonly order: RequestedOrder; readonly operation: Operation; readonly offer: Offer; readonly now: Instant };
}

export type PaymentCommand = AcceptPayment | ProcessingCommand;
export type PaymentRejection = AcceptanceRejection | ProcessingRejection;

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
