import type { CardRefId, Decider, Instant, Money, NonEmpty, Sealed } from '@app/kernel';
import {
  type AcceptedOrder,
  type CardAtGates,
  type ProcessingEvent,
  evolveProcessing,
  processingOf,
  type Processing,
  answerToRepeat,
  cardAtPlannedGates,
  decideProcessing,
  termsOf,
  type Offer,
  type Operation,
  type OrderCard,
  type ProcessingCommand,
  type ProcessingRejection,
  type RepeatRejection,
  type RequestedOrder,
  type RequestedSums,
  type TermsRejection,
} from '@app/orders/domain';

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
    /** As recorded with the card's reference; absent if no gate knows it. */
    readonly atGates?: CardAtGates;
  };
};

export type RecurringEvent = RecurrentPaymentAccepted | ProcessingEvent;

export type Recurring =
  | { readonly status: 'none' }
  | { readonly status: 'accepted'; readonly order: RecurrentPaymentAccepted['data']; readonly processing: Processing };

const evolve = (state: Recurring, event: RecurringEvent): Recurring => {
  if (event.type === 'OrderAccepted') {
    if (state.status !== 'none') throw new Error('OrderAccepted twice');
    return { status: 'accepted', order: event.data, processing: processingOf(event.data) };
  }
  if (state.status === 'none') throw new Error(`${event.type} before OrderAccepted`);
  return { ...state, processing: evolveProcessing(state.processing, event) };
};

export type CardReference =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'destination' }
  | { readonly kind: 'source'; readonly card: OrderCard; readonly customer: Sealed; readonly atGates?: CardAtGates };

export interface ChargeRegisteredCard {
  readonly type: 'ChargeRegisteredCard';
  readonly data: {
    readonly order: Omit<RequestedOrder, 'card' | 'customer'>;
    readonly cardRefId: CardRefId;
    readonly reference: CardReference;
    readonly marks: RecurrentMarks;
    readonly operation: Operation;
    /** `enumerate_amounts`, in the order of the attempts. */
    readonly amounts?: NonEmpty<Money>;
    readonly offer: Offer;
    readonly now: Instant;
  };
}

type RecurringCommand = ChargeRegisteredCard | ProcessingCommand;
type ChargeTermsRejection = TermsRejection | { readonly reason: 'card-reference-unknown' | 'card-reference-not-usable' };
export type ChargeRejection = ChargeTermsRejection | RepeatRejection;
type RecurringRejection = ChargeRejection | ProcessingRejection;

interface ChargeTerms extends Pick<AcceptedOrder, 'endpointId' | 'plan' | 'card' | 'customer'> {
  readonly atGates?: CardAtGates;
}

export const chargeTermsOf = (offer: Offer, sums: RequestedSums, reference: CardReference): ChargeTerms | ChargeTermsRejection => {
  const terms = termsOf(offer, sums);
  if ('reason' in terms) return terms;
  if (reference.kind === 'unknown') return { reason: 'card-reference-unknown' };
  if (reference.kind === 'destination') return { reason: 'card-reference-not-usable' };
  const { card, customer } = reference;
  const atGates = reference.atGates && cardAtPlannedGates(reference.atGates, terms.plan.gates);
  return { card, customer, ...terms, ...(atGates && { atGates }) };
};

const chargeRegisteredCard = ({ data }: ChargeRegisteredCard, state: Recurring): NonEmpty<RecurringEvent> | ChargeRejection => {
  const { order, cardRefId, reference, marks, operation, amounts, offer, now } = data;
  if (state.status !== 'none') return answerToRepeat(state.order, order.contentDigest);
  const terms = chargeTermsOf(offer, { operation, amount: order.amount, ...(amounts && { amounts }) }, reference);
  if ('reason' in terms) return terms;
  return [{ type: 'OrderAccepted', data: { ...terms, cardRefId, marks, acceptedAt: now, ...order } }];
};

export const recurring: Decider<RecurringCommand, RecurringEvent, Recurring, RecurringRejection> = {
  initial: { status: 'none' },
  evolve,
  decide: (command, state) => {
    if (command.type === 'ChargeRegisteredCard') return chargeRegisteredCard(command, state);
    return state.status === 'none' ? { reason: 'nothing-new' } : decideProcessing(command, state.processing);
  },
};
