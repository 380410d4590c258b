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
  OrderKind,
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
import { firstGateOf, type Offer, type Operation, type OrderDetails } from '../../domain';
import type { CvvSubmitQueue } from '../gates/cvv-submit-queue';
import type { RoutedRequest, RouteOrder } from './route-order';
import type { RoutingRulesRepository } from '../rules/routing-rules-repository';
import type { ScreeningRulesRepository } from '../rules/screening-rules';
import { workLane } from '../gates/in-flight-calls';

export interface NamedRequest {
  readonly serial: string;
  readonly callerTrace?: CallerTrace | undefined;
  readonly deadline?: Deadline | undefined;
}

export interface OrderRequest extends NamedRequest {
  readonly merchant: MerchantLogin;
  readonly clientOrderId: ClientOrderId;
  readonly contentDigest: ContentDigest;
  readonly operation: Operation;
  readonly amount: Money;
  /** Tried one after another in place of `amount`. */
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
  readonly onAccepted?: (stream: StreamName) => void;
}

/** The envelope of a merchant's request, which is its events' cause and command (architecture, rule 2). */
export const requestEnvelope = (merchant: MerchantLogin, { serial, callerTrace }: NamedRequest, recordedAt: Instant): Envelope => ({
  correlation: serial,
  callerTrace,
  causation: serial,
  actor: merchant,
  merchant,
  commandId: serial,
  recordedAt,
});

export interface NewOrder<
  Contents extends object,
  Refusal extends AnyRejection,
  Command,
  Event extends AnyEvent,
  State,
  Rejection extends AnyRejection,
> extends Pick<DecisionRun<Command, Event, State, Rejection>, 'codec' | 'decider' | 'stream'> {
  readonly kind: OrderKind;
  readonly routed: Omit<RoutedRequest, 'merchant' | 'amount'>;
  /** A CVV may be held during the whole fee choice, so these orders have a separate share of the queue. */
  readonly waitsForPayer?: boolean;
  /** Keeps the cards and seals the texts, after all other checks passed. */
  readonly prepare: () => Promise<Contents | Refusal>;
  readonly command: (contents: Contents, given: { readonly orderId: OrderId; readonly offer: Offer; readonly now: Instant }) => Command;
}

export type Accepted<Rejection extends AnyRejection> =
  | { readonly kind: 'accepted'; readonly orderId: OrderId }
  | { readonly kind: 'rejected'; readonly rejection: Rejection }
  | { readonly kind: 'full' };

/**
 * Chooses the gates, keeps the data, appends once, and passes the CVV to this process's queue.
 * @throws as `runOpeningDecision`; errors of `prepare`
 */
export const acceptOrder = async <
  Contents extends object,
  Refusal extends AnyRejection,
  Command,
  Event extends AnyEvent,
  State,
  Rejection extends AnyRejection,
>(
  { store, cvvQueue, screeningRules, routingRules, routes, clock, orderIds, failpoints, onAccepted }: AcceptOrderPorts,
  request: NamedRequest & Pick<OrderRequest, 'merchant' | 'amount' | 'cvv' | 'offer'>,
  { kind, routed, waitsForPayer = false, prepare, command, ...decision }: NewOrder<Contents, Refusal, Command, Event, State, Rejection>,
): Promise<Accepted<Rejection | Refusal | { readonly reason: 'held' }>> => {
  const { merchant, amount, cvv, deadline } = request;
  const route = routes.route(request.offer, { merchant, amount, ...routed });
  const offer = route instanceof Promise ? await route : route;
  if (offer.kind === 'refused' && offer.reason === 'held') return { kind: 'rejected', rejection: { reason: 'held' } };
  const lane = workLane(merchant, firstGateOf(offer));
  const lanes = waitsForPayer ? [lane, workLane(merchant, 'payer')] : [lane];
  if (cvv !== undefined && !lanes.every((name) => cvvQueue.hasRoomIn(name))) return { kind: 'full' };
  const contents = await prepare();
  if ('reason' in contents) return { kind: 'rejected', rejection: contents };
  failpoints.reach('P2');
  const given = orderIds.next(kind);
  const orderId = typeof given === 'string' ? given : await given;
  const now = clock.now();
  const envelope = requestEnvelope(merchant, request, now);
  if (request.offer.kind === 'served') {
    const { rules, routing } = request.offer;
    if (rules !== undefined) await screeningRules.record(rules, envelope);
    if (routing !== undefined) await routingRules.record(routing, envelope);
  }
  const run = { store: storeWithin(store, deadline), envelope, command: command(contents, { orderId, offer, now }), ...decision };
  const result = await runOpeningDecision<Command, Event, State, Rejection>(run);
  if (result.kind === 'rejected') return { kind: 'rejected', rejection: result.rejection };
  onAccepted?.(decision.stream);
  failpoints.reach('P3');
  if (cvv !== undefined) cvvQueue.submitSoon({ lane, stream: decision.stream, cvv });
  return { kind: 'accepted', orderId };
};

export const laneIsFull = (): StoreUnavailable => new StoreUnavailable('too many orders wait for their first submit');
