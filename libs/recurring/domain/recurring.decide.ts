import type { CardRefId, Decider, Instant, Money, NonEmpty, Sealed } from '@app/kernel';
import {
  answerToRepeat,
  cardAtPlannedGates,
  decideProcessing,
  termsOf,
  type AcceptedOrder,
  type CardAtGates,
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
import type { RecurrentMarks, RecurringEvent } from './recurring.events';
import { evolve, type Recurring } from './recurring.state';

/** The reference that the request names, as far as it is known. */
export type CardReference =
  | { readonly kind: 'unknown' }
  /** A reference to a card that may only receive. */
  | { readonly kind: 'destination' }
  | { readonly kind: 'source'; readonly card: OrderCard; readonly customer: Sealed; readonly atGates?: CardAtGates };

/** A charge of a card that the merchant knows by its reference; the payer is not present. */
export interface ChargeRegisteredCard {
  readonly type: 'ChargeRegisteredCard';
  readonly data: {
    readonly order: Omit<RequestedOrder, 'card' | 'customer'>;
    readonly cardRefId: CardRefId;
    readonly reference: CardReference;
    readonly marks: RecurrentMarks;
    readonly operation: Operation;
    /** `enumerate_amounts`, in the order in which they are tried. */
    readonly amounts?: NonEmpty<Money>;
    readonly offer: Offer;
    readonly now: Instant;
  };
}

export type RecurringCommand = ChargeRegisteredCard | ProcessingCommand;
export type ChargeTermsRejection = TermsRejection | { readonly reason: 'card-reference-unknown' | 'card-reference-not-usable' };
export type ChargeRejection = ChargeTermsRejection | RepeatRejection;
export type RecurringRejection = ChargeRejection | ProcessingRejection;

/** What of the order comes from its entry point and its reference. */
export interface ChargeTerms extends Pick<AcceptedOrder, 'endpointId' | 'plan' | 'card' | 'customer'> {
  readonly atGates?: CardAtGates;
}

/** The terms that the order gets from its entry point and its reference, or why it is not accepted. */
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
