import { streamName, type AnyEvent, type StreamName } from '@app/event-store';
import {
  addMs,
  unreachable,
  type AttemptKey,
  type BootId,
  type CardHandle,
  type CardRefId,
  type CardUid,
  type ClientOrderId,
  type ContentDigest,
  type Currency,
  type EndpointId,
  type GateAlias,
  type Instant,
  type MerchantLogin,
  type Money,
  type OrderId,
  type Sealed,
} from '@app/kernel';
import type { CardReferenceIssued } from '@app/card-registration/events';
import type { AcceptedOrder, PlannedGate, Receipt } from '@app/order-processing/events';
import type { PaymentAccepted } from '@app/payment/events';
import type { RecurrentPaymentAccepted } from '@app/recurring/events';
import type { OrderEvent } from '../read-models/order-status/order-status.fold';
import { FollowUpLife } from './follow-up-life';

/** Test data of orders, identified by number. */
export const START = 1_704_067_200_000 as Instant;
export const ACME = 'acme' as MerchantLogin;
export const USD = 'USD' as Currency;

const gate = (alias: string): PlannedGate => ({
  alias: alias as GateAlias,
  descriptor: `${alias} shown`,
  gateDescriptor: `${alias} own`,
  partialReversal: alias === 'sim-a',
  partialCapture: false,
  longestFlightMs: 5_000,
});

const letters = (number: number): string => [...number.toString(26)].map((digit) => String.fromCharCode(97 + parseInt(digit, 26))).join('');

export const orderIdOf = (kind: 'p' | 'r', number: number): OrderId => `${kind}${letters(number).padStart(14, 'a')}r` as OrderId;
export const cardRefIdOf = (number: number): CardRefId => `c${letters(number).padStart(18, 'a')}c` as CardRefId;

export const acceptedOrder = (number: number, kind: 'p' | 'r', gates: readonly [string, ...string[]] = ['sim-a']): AcceptedOrder => {
  const [first, ...others] = gates;
  return {
    orderId: orderIdOf(kind, number),
    merchant: ACME,
    clientOrderId: `order-${number}` as ClientOrderId,
    endpointId: '1001' as EndpointId,
    amount: { minor: 1_042n + BigInt(number), currency: USD },
    contentDigest: 'digest' as ContentDigest,
    card: {
      handle: `handle-${number}` as CardHandle,
      uid: `uid-${number % 7}` as CardUid,
      face: { bin: '444433', lastFour: '1111', brand: 'VISA', expiryMonth: 12, expiryYear: 2031 },
    },
    customer: `sealed customer ${number}` as Sealed,
    details: `sealed details ${number}` as Sealed,
    plan: {
      operation: 'sale',
      gates: [gate(first), ...others.map(gate)],
      payerMs: 900_000,
      ...(kind === 'p' && { cvvHolder: 'boot' as BootId }),
      callbacks: ['callback'],
    },
    acceptedAt: START,
  };
};

export const paymentAccepted = (number: number, gates?: readonly [string, ...string[]]): PaymentAccepted => ({
  type: 'OrderAccepted',
  data: acceptedOrder(number, 'p', gates),
});

export const recurrentAccepted = (number: number, gates?: readonly [string, ...string[]]): RecurrentPaymentAccepted => ({
  type: 'OrderAccepted',
  data: { ...acceptedOrder(number, 'r', gates), cardRefId: cardRefIdOf(number), marks: {} },
});

export const cardReferenceIssued = (number: number): CardReferenceIssued => {
  const { orderId, clientOrderId, endpointId, card, customer, merchant } = acceptedOrder(number, 'p');
  return {
    type: 'CardReferenceIssued',
    data: {
      cardRefId: cardRefIdOf(number),
      use: 'source',
      merchant,
      orderKind: 'payment',
      orderId,
      clientOrderId,
      endpointId,
      card,
      customer,
      issuedAt: addMs(START, number),
    },
  };
};

export const receiptOf = (key: AttemptKey): Receipt => ({
  transactionId: `PNTEST-${key}`,
  processedAt: addMs(START, 30),
  rrn: '123',
  terminalId: 'T1',
});

type Step =
  | 'accepted'
  | 'due'
  | 'asked'
  | 'unknown'
  | 'challenged'
  | 'returned'
  | 'approved'
  | 'declined'
  | 'not-asked'
  | 'resolved-declined'
  | 'final'
  | 'over';

/**
 * A history that the domain could have decided, with one choice per event. It ends with the choices, so that every prefix is a valid history too.
 */
export const orderLife = (acceptance: PaymentAccepted | RecurrentPaymentAccepted, choices: readonly number[]): readonly OrderEvent[] => {
  const { plan, amount, orderId } = acceptance.data;
  const events: OrderEvent[] = [acceptance];
  let step: Step = 'accepted';
  let number = 0;
  let isPayerBack = false;
  let believed: 'approved' | 'declined' | 'not-asked' = 'approved';
  let at = START;
  const { callbacks } = plan;
  const key = (): AttemptKey => `${orderId}-${number}` as AttemptKey;
  const end = (event: OrderEvent): Step => {
    events.push(event);
    return 'final';
  };
  const start = (): Step => {
    number += 1;
    isPayerBack = false;
    const { alias } = plan.gates[(number - 1) % plan.gates.length] ?? plan.gates[0];
    events.push({
      type: 'AttemptStarted',
      data: { attemptKey: key(), number, gate: alias, amount, issuer: { cardType: 'VISA', country: 'USA' }, startedAt: at },
    });
    return 'asked';
  };
  const screen = (brokenRule?: 'per-card'): Step => {
    const screened = { rulesVersion: 'rules', bin: '444433', amounts: [amount], cardCount: 1, screenedAt: at };
    events.push({ type: 'OrderScreened', data: { ...screened, ...(brokenRule && { brokenRule }) } });
    return brokenRule === undefined ? start() : end({ type: 'OrderFiltered', data: { code: 120, callbacks, filteredAt: at } });
  };
  const continuePlan = (): Step => {
    const { alias } = plan.gates[number % plan.gates.length] ?? plan.gates[0];
    events.push({ type: 'NextAttemptChosen', data: { gate: alias, amountNumber: 1, amount, chosenAt: at } });
    return 'due';
  };
  const resolve = (as: 'approved' | 'declined'): Step => {
    believed = as;
    events.push({ type: 'AttemptSettled', data: { attemptKey: key(), as, reason: 'sealed reason' as Sealed, settledAt: at } });
    return as === 'approved' ? 'approved' : 'resolved-declined';
  };
  const approve = (): Step => {
    believed = 'approved';
    const data = { attemptKey: key(), receipt: receiptOf(key()), approvalCode: `A${number}`, answeredAt: at };
    events.push({ type: 'AttemptApproved', data });
    return 'approved';
  };
  const decline = (by: 'gate' | 'payer-absent'): Step => {
    believed = 'declined';
    const reported = by === 'gate' ? { code: 100, receipt: receiptOf(key()), advice: 'ask your bank' } : { code: 110 };
    events.push({ type: 'AttemptDeclined', data: { attemptKey: key(), by, answeredAt: at, ...reported } });
    return 'declined';
  };
  const leaveUnknown = (): Step => {
    events.push({ type: 'AttemptUnknown', data: { attemptKey: key(), cause: 'timeout', answeredAt: at } });
    return 'unknown';
  };
  const notAsked = (): Step => {
    believed = 'not-asked';
    events.push({ type: 'AttemptNotAsked', data: { attemptKey: key(), cause: 'unavailable', answeredAt: at } });
    return 'not-asked';
  };
  const challenge = (): Step => {
    const page = `sealed page ${number}` as Sealed;
    const data = { attemptKey: key(), transactionId: `PNTEST-${key()}`, page, payerDueAt: addMs(at, plan.payerMs), answeredAt: at };
    events.push({ type: 'PayerChallenged', data });
    return 'challenged';
  };
  const returnPayer = (): Step => {
    isPayerBack = true;
    events.push({ type: 'PayerReturned', data: { attemptKey: key(), returnedAt: at } });
    return 'returned';
  };
  const contradict = (): Step => {
    const reported = believed === 'approved' ? 'declined' : 'approved';
    const data = { attemptKey: key(), believed, told: reported, transactionId: 'late', toldAt: at } as const;
    if (number > 0) events.push({ type: 'LateResultConflict', data });
    return 'over';
  };
  const followUps = new FollowUpLife();
  const followUpSteps = (): readonly (() => Step)[] => {
    if (events.at(-1)?.type === 'LateResultConflict' || !events.some(({ type }) => type === 'OrderApproved')) return [];
    const { alias } = plan.gates[(number - 1) % plan.gates.length] ?? plan.gates[0];
    const nextEvents = followUps.nextEvents({ attemptKey: key(), gate: alias, amount, receiptOf }, at);
    return nextEvents.map((event) => () => end(event()));
  };
  const nextSteps = (): readonly (() => Step)[] => {
    switch (step) {
      case 'accepted':
        return [
          start,
          start,
          start,
          () => screen(),
          () => screen('per-card'),
          () => end({ type: 'OrderFiltered', data: { code: 120, callbacks, filteredAt: at } }),
          () => end({ type: 'OrderFailed', data: { code: 121, callbacks, failedAt: at } }),
        ];
      case 'due':
        return [start];
      case 'asked':
        return [approve, () => decline('gate'), leaveUnknown, notAsked, challenge];
      case 'unknown':
        return [
          approve,
          () => decline('gate'),
          notAsked,
          () => resolve('approved'),
          () => resolve('declined'),
          ...(isPayerBack ? [] : [challenge]),
        ];
      case 'challenged':
        return [returnPayer, returnPayer, () => decline('payer-absent'), approve, () => decline('gate')];
      case 'returned':
        return [approve, () => decline('gate'), leaveUnknown];
      case 'approved':
        return [
          () =>
            end({
              type: 'OrderApproved',
              data: { attemptKey: key(), amount, receiptId: `receipt ${orderId}`, callbacks, approvedAt: at },
            }),
        ];
      case 'declined':
        return [() => end({ type: 'OrderDeclined', data: { code: 100, callbacks, declinedAt: at } }), continuePlan];
      case 'not-asked':
        return [() => end({ type: 'OrderFailed', data: { code: 122, callbacks, failedAt: at } }), continuePlan];
      case 'resolved-declined':
        return [() => end({ type: 'OrderDeclined', data: { code: 100, callbacks, declinedAt: at } })];
      case 'final':
        return [contradict, () => 'over', ...followUpSteps()];
      case 'over':
        return [];
      default:
        return unreachable(step);
    }
  };
  for (const choice of choices) {
    const open = nextSteps();
    const next = open[choice % Math.max(open.length, 1)];
    if (next === undefined) break;
    at = addMs(at, 1_000);
    step = next();
  }
  return events;
};

/** A stream with the events to append to it, in order. */
export interface Story {
  readonly stream: StreamName;
  readonly events: readonly AnyEvent[];
}

export const paymentStory = (number: number, choices: readonly number[], gates?: readonly [string, ...string[]]): Story => ({
  stream: streamName('payment', ACME, String(number)),
  events: orderLife(paymentAccepted(number, gates), choices),
});

export const recurringStory = (number: number, choices: readonly number[], gates?: readonly [string, ...string[]]): Story => ({
  stream: streamName('recurring', ACME, String(number)),
  events: orderLife(recurrentAccepted(number, gates), choices),
});

export const cardReferenceStory = (number: number): Story => ({
  stream: streamName('cardReference', cardRefIdOf(number)),
  events: [cardReferenceIssued(number)],
});

export const amountOf = (minor: bigint): Money => ({ minor, currency: USD });
