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
import type { RouteOrder } from '../../routing/application/route-order';
import type { RoutingRulesRepository } from '../../routing/application/routing-rules-repository';
import type { ScreeningRulesRepository } from '../../screening/application/screening-rules-repository';

/** The request that events and calls are traced back to. */
export interface NamedRequest {
  /** The request's serial-number. */
  readonly serial: string;
  /** Absent where the request brought none. */
  readonly callerTrace?: CallerTrace | undefined;
  /** When its caller must be answered; absent where nobody waits. */
  readonly deadline?: Deadline | undefined;
}

/** The members that every request for an order has. */
export interface OrderRequest extends NamedRequest {
  readonly merchant: MerchantLogin;
  readonly clientOrderId: ClientOrderId;
  readonly contentDigest: ContentDigest;
  readonly operation: Operation;
  /** Zero for an account verification. */
  readonly amount: Money;
  /** Amounts that are tried one after another in place of `amount`. */
  readonly amounts?: NonEmpty<Money>;
  readonly cvv?: Secret<string>;
  readonly details: OrderDetails;
  readonly offer: Offer;
}

export interface OrderAcceptedAnswer {
  readonly reason: 'accepted';
  readonly orderId: OrderId;
  readonly endpointId: EndpointId;
}

/** A repeat of an accepted request is answered, not refused. */
export type OrderRefused<Rejection extends AnyRejection> = Exclude<Rejection, { readonly reason: 'accepted-before' }>;

export interface AcceptOrderPorts {
  readonly store: EventStore;
  readonly sealer: OrderSealer;
  readonly cvvQueue: CvvSubmitQueue;
  readonly screeningRules: ScreeningRulesRepository;
  readonly routingRules: Pick<RoutingRulesRepository, 'record'>;
  readonly routes: Pick<RouteOrder, 'route'>;
  readonly clock: Clock;
  readonly orderIds: Pick<OrderIds, 'next'>;
  readonly failpoints: Failpoints;
  /** Called for every order that this process accepts. */
  readonly onAccepted?: (stream: StreamName) => void;
}

/** Makes the envelope of what a merchant's request appends: the request is its cause and its command (architecture, rule 2). */
export const requestEnvelope = (merchant: MerchantLogin, { serial, callerTrace }: NamedRequest, recordedAt: Instant): Envelope => ({
  correlation: serial,
  callerTrace,
  causation: serial,
  actor: merchant,
  merchant,
  commandId: serial,
  recordedAt,
});

/** The parts with which a context decides an acceptance. */
export interface Acceptance<Command, Event extends AnyEvent, State, Rejection extends AnyRejection> extends Pick<
  DecisionRun<Command, Event, State, Rejection>,
  'codec' | 'decider' | 'stream' | 'command'
> {
  readonly lane: string;
  readonly now: Instant;
}

/**
 * Ends every acceptance: one append, then the CVV goes to the queue of this process.
 * @returns undefined where the order was accepted
 * @throws as `runOpeningDecision`
 */
export const acceptOrder = async <Command, Event extends AnyEvent, State, Rejection extends AnyRejection>(
  {
    store,
    cvvQueue,
    screeningRules,
    routingRules,
    failpoints,
    onAccepted,
  }: Pick<AcceptOrderPorts, 'store' | 'cvvQueue' | 'screeningRules' | 'routingRules' | 'failpoints' | 'onAccepted'>,
  request: NamedRequest & Pick<OrderRequest, 'merchant' | 'cvv' | 'offer'>,
  { lane, now, ...decision }: Acceptance<Command, Event, State, Rejection>,
): Promise<Rejection | undefined> => {
  const { merchant, cvv, offer, deadline } = request;
  const envelope = requestEnvelope(merchant, request, now);
  if (offer.kind === 'served' && offer.rules !== undefined) await screeningRules.record(offer.rules, envelope);
  if (offer.kind === 'served' && offer.routing !== undefined) await routingRules.record(offer.routing, envelope);
  const result = await runOpeningDecision({ store: storeWithin(store, deadline), envelope, ...decision });
  if (result.kind === 'rejected') return result.rejection;
  onAccepted?.(decision.stream);
  failpoints.reach('P3');
  if (cvv !== undefined) cvvQueue.submitSoon({ lane, stream: decision.stream, cvv });
  return undefined;
};

/** Thrown where the lane of an order that came with a CVV is full: nothing was accepted. */
export const laneIsFull = (): StoreUnavailable => new StoreUnavailable('too many orders wait for their first submit');
