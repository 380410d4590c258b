import type {
  AnyRejection,
  ClientOrderId,
  Clock,
  ContentDigest,
  Deadline,
  EndpointId,
  Failpoints,
  Instant,
  MerchantLogin,
  Money,
  NonEmpty,
  OrderId,
  OrderIds,
  Secret,
} from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import {
  runOpeningDecision,
  storeWithin,
  StoreUnavailable,
  type AnyEvent,
  type CallerTrace,
  type DecisionRun,
  type Envelope,
  type EventStore,
  type StreamName,
} from '@app/event-store';
import type { Offer, Operation, OrderDetails } from '../../domain';
import type { CvvSubmitQueue } from '../../cvv/application/cvv-submit-queue';
import type { ScreeningRulesRepository } from '../../screening/application/screening-rules-repository';

/** What events and calls go back to. */
export interface NamedRequest {
  /** The request's serial-number. */
  readonly serial: string;
  /** Absent where the request brought none. */
  readonly callerTrace?: CallerTrace | undefined;
  /** When its caller is answered; absent where nobody waits. */
  readonly deadline?: Deadline | undefined;
}

/** What every request for an order brings, whatever it asks for. */
export interface OrderRequest extends NamedRequest {
  readonly merchant: MerchantLogin;
  readonly clientOrderId: ClientOrderId;
  readonly contentDigest: ContentDigest;
  readonly operation: Operation;
  /** Zero of an account verification. */
  readonly amount: Money;
  /** Tried in turn in its stead. */
  readonly amounts?: NonEmpty<Money>;
  readonly cvv?: Secret<string>;
  readonly details: OrderDetails;
  readonly offer: Offer;
}

export interface OrderTaken {
  readonly reason: 'accepted';
  readonly orderId: OrderId;
  readonly endpointId: EndpointId;
}

/** A repeat of what was accepted is an answer, no refusal. */
export type OrderRefused<Rejection extends AnyRejection> = Exclude<Rejection, { readonly reason: 'accepted-before' }>;

export interface TakeOrderPorts {
  readonly store: EventStore;
  readonly sealer: OrderSealer;
  readonly cvvQueue: CvvSubmitQueue;
  readonly screeningRules: ScreeningRulesRepository;
  readonly clock: Clock;
  readonly orderIds: Pick<OrderIds, 'next'>;
  readonly failpoints: Failpoints;
  /** Told of every order that was taken here. */
  readonly onTaken?: (stream: StreamName) => void;
}

/** Of what a merchant's request appends: the request is its cause and its command (architecture, rule 2). */
export const requestEnvelope = (merchant: MerchantLogin, { serial, callerTrace }: NamedRequest, recordedAt: Instant): Envelope => ({
  correlation: serial,
  callerTrace,
  causation: serial,
  actor: merchant,
  merchant,
  commandId: serial,
  recordedAt,
});

/** What a context decides an acceptance with. */
export interface Acceptance<Command, Event extends AnyEvent, State, Rejection extends AnyRejection> extends Pick<
  DecisionRun<Command, Event, State, Rejection>,
  'codec' | 'decider' | 'stream' | 'command'
> {
  readonly lane: string;
  readonly now: Instant;
}

/** The end of every acceptance: one append, and the CVV to the desk of this process. Undefined where the order was taken. @throws as `runOpeningDecision` */
export const takeOrder = async <Command, Event extends AnyEvent, State, Rejection extends AnyRejection>(
  {
    store,
    cvvQueue,
    screeningRules,
    failpoints,
    onTaken,
  }: Pick<TakeOrderPorts, 'store' | 'cvvQueue' | 'screeningRules' | 'failpoints' | 'onTaken'>,
  request: NamedRequest & Pick<OrderRequest, 'merchant' | 'cvv' | 'offer'>,
  { lane, now, ...decision }: Acceptance<Command, Event, State, Rejection>,
): Promise<Rejection | undefined> => {
  const { merchant, cvv, offer, deadline } = request;
  const envelope = requestEnvelope(merchant, request, now);
  if (offer.kind === 'served' && offer.rules !== undefined) await screeningRules.record(offer.rules, envelope);
  const result = await runOpeningDecision({ store: storeWithin(store, deadline), envelope, ...decision });
  if (result.kind === 'rejected') return result.rejection;
  onTaken?.(decision.stream);
  failpoints.reach('P3');
  if (cvv !== undefined) cvvQueue.submitSoon({ lane, stream: decision.stream, cvv });
  return undefined;
};

/** Thrown where the lane of an order that came with a CVV is full: nothing was accepted. */
export const laneIsFull = (): StoreUnavailable => new StoreUnavailable('too many orders wait for their first submit');
