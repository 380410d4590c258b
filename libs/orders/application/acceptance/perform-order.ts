import type { EndpointId, MerchantLogin, Card, DestinationCard, Ids, OrderKind, Secret } from '@app/kernel';
import { type ServiceDigests, emailDigest, receivingFaceOf, type CardVault, type OrderKey } from '@app/card-vault';
import { claimUnique, load, releaseClaim, storeWithin, type EventCodec, type StreamName } from '@app/event-store';
import {
  type SessionDigest,
  answerToRepeat,
  deviceOrderDecider,
  packTexts,
  SEALED_FIELDS,
  termsOf,
  type AcceptanceRejection,
  type AcceptedDeviceOrder,
  type Customer,
  type DeviceOrderAccepted,
  type DeviceOrderEvent,
  type DeviceTexts,
  type OrderDetails,
  type RequestedDeviceOrder,
  decideDeviceOrderState,
  type DeviceOrderState,
} from '../../domain';
import { orderTexts } from '../order-texts';
import {
  laneIsFull,
  requestEnvelope,
  acceptOrder,
  type OrderRequest,
  type OrderAcceptedAnswer,
  type AcceptOrderPorts,
} from './accept-order';
import type { RoutedRequest } from './route-order';
import type { OrderContext } from '../order-context';

/** Matches a status or complete request with the order's perform; neither token is in the log (interface, section 4.7). */
export const sessionDigest = (digests: Pick<ServiceDigests, 'onceKey'>, accessToken: string, token: string): SessionDigest =>
  digests.onceKey('deviceSession', [accessToken, token]) as SessionDigest;

/** Makes a nonce usable once at an endpoint (architecture, rule 3). */
const DEVICE_NONCE = 'deviceNonce';

const nonceKey = (
  digests: Pick<ServiceDigests, 'onceKey'>,
  { merchant, endpointId, nonce }: { readonly merchant: MerchantLogin; readonly endpointId: EndpointId; readonly nonce: string },
): string => digests.onceKey(DEVICE_NONCE, [merchant, endpointId, nonce]);

/** An app's request with a verified signature (interface, section 4.5). */
export interface PerformRequest extends Omit<OrderRequest, 'amounts' | 'details'> {
  /** From the request's path. */
  readonly endpointId: EndpointId;
  /** Absent if the card was given by reference, in `device`. */
  readonly card?: Secret<Card>;
  readonly destination?: Secret<DestinationCard>;
  readonly device: Omit<DeviceTexts, 'token'>;
  readonly customer: Partial<Customer>;
  readonly details: Partial<OrderDetails>;
  readonly signatureAmbiguous: boolean;
  /** The digest that earlier releases stored: it covers the signature. */
  readonly contentDigestBefore?: () => AcceptedDeviceOrder['contentDigest'];
}

export interface Performed extends OrderAcceptedAnswer {
  readonly token: string;
}

/** `nonce-reused`: the nonce was used with another invoice. */
export type PerformRefused = Exclude<AcceptanceRejection, { readonly reason: 'accepted-before' }> | { readonly reason: 'nonce-reused' };

export interface PerformPorts extends AcceptOrderPorts {
  readonly vault: Pick<CardVault, 'keep' | 'keepReceiving'>;
  readonly digests: Pick<ServiceDigests, 'onceKey'>;
  readonly ids: Ids;
}

interface PerformContext<Accepted extends AcceptedDeviceOrder> {
  readonly kind: OrderKind;
  readonly stream: StreamName;
  readonly codec: EventCodec<DeviceOrderAccepted<Accepted> | DeviceOrderEvent>;
}

/**
 * One order per invoice; a repeat with the same content gets the same token. The nonce is claimed after all other checks, and released if the append
 * is refused (architecture, rule 3).
 * @throws StoreUnavailable, VaultUnavailable: nothing was accepted; OutcomeUnknown: perhaps it was.
 */
export const performOrder = async <Accepted extends AcceptedDeviceOrder>(
  ports: PerformPorts,
  { kind, stream, codec }: PerformContext<Accepted>,
  request: PerformRequest,
): Promise<Performed | PerformRefused> => {
  const decider = deviceOrderDecider<Accepted>();
  const { merchant, clientOrderId, contentDigest, operation, amount, endpointId, signatureAmbiguous, deadline } = request;
  const { sealer, digests, clock, ids } = ports;
  const store = storeWithin(ports.store, deadline);
  // Before the vault is used, so that a repeat and a refusal leave no card behind.
  const { state } = await load(store, stream, decider, codec);
  if (state.status !== 'none') return answerOf(ports, state.order, request);
  const terms = termsOf(request.offer, { operation, amount });
  if ('reason' in terms) return terms;
  const nonce = nonceKey(digests, { merchant, endpointId, nonce: request.device.nonce });
  const token = ids.next();
  const accepted = await acceptOrder(ports, request, {
    kind,
    stream,
    codec,
    decider,
    routed: routedBy(request),
    waitsForPayer: terms.plan.device?.feeChoiceMs !== undefined,
    prepare: async () => {
      const claim = await claimUnique(store, DEVICE_NONCE, nonce, stream, requestEnvelope(merchant, request, clock.now()));
      if (typeof claim !== 'string') return { reason: 'nonce-reused' as const };
      return {
        ...(await keepCards(ports, request, stream)),
        ...seal(await sealer.takeKey(deadline), request, token),
        ...(request.customer.email !== undefined && { emailDigest: emailDigest(digests, request.customer.email) }),
        sessionDigest: sessionDigest(digests, request.device.accessToken, token),
      };
    },
    command: (contents, { orderId, offer, now }) => {
      const fixed = { orderId, merchant, clientOrderId, contentDigest, amount, signatureAmbiguous };
      // The context's request type and its schema guarantee the cards.
      const order = { ...fixed, ...contents } as RequestedDeviceOrder<Accepted>;
      return { type: 'AcceptDeviceOrder' as const, data: { order, operation, offer, now } };
    },
  });
  if (accepted.kind === 'full') throw laneIsFull();
  if (accepted.kind === 'accepted') return { reason: 'accepted', orderId: accepted.orderId, endpointId: terms.endpointId, token };
  if (accepted.rejection.reason === 'nonce-reused') return { reason: 'nonce-reused' };

  const existing = (await load(store, stream, decider, codec)).state;
  if (existing.status === 'none') throw new Error(`${stream}: refused by an order that is not there`);
  const answer = await answerOf(ports, existing.order, request);
  const held = await orderTexts(sealer, { merchant, field: SEALED_FIELDS.device, sealed: existing.order.device, deadline });
  if (held.get('nonce') !== request.device.nonce) {
    await releaseClaim(store, DEVICE_NONCE, nonce, stream, requestEnvelope(merchant, request, clock.now()));
  }
  return answer;
};

/** A card given by reference is named only after the route was chosen. */
const routedBy = ({ card, customer }: PerformRequest): Omit<RoutedRequest, 'merchant' | 'amount'> => ({
  ...(card && { card: receivingFaceOf(card.reveal().number) }),
  customer: () => customer.email,
});

const keepCards = async (
  { vault }: PerformPorts,
  { merchant, card, destination, deadline }: PerformRequest,
  stream: StreamName,
): Promise<Pick<AcceptedDeviceOrder, 'card' | 'destination'>> => ({
  ...(card && { card: await vault.keep(merchant, card, stream, deadline) }),
  ...(destination && { destination: await vault.keepReceiving(merchant, destination, stream, deadline) }),
});

const seal = (key: OrderKey, { merchant, customer, details, device }: PerformRequest, token: string) => ({
  customer: key.seal(merchant, SEALED_FIELDS.customer, packTexts(customer)),
  details: key.seal(merchant, SEALED_FIELDS.details, packTexts(details)),
  device: key.seal(merchant, SEALED_FIELDS.device, packTexts({ ...device, token })),
});

/** If the order's key was erased, its session is unusable. */
const answerOf = async (
  { sealer }: PerformPorts,
  order: AcceptedDeviceOrder,
  { contentDigest, contentDigestBefore, deadline }: PerformRequest,
): Promise<Performed | PerformRefused> => {
  const isSame = order.contentDigest === contentDigest || order.contentDigest === contentDigestBefore?.();
  const answer = answerToRepeat(order, isSame ? order.contentDigest : contentDigest);
  if (answer.reason !== 'accepted-before') return answer;
  const texts = await orderTexts(sealer, { merchant: order.merchant, field: SEALED_FIELDS.device, sealed: order.device, deadline });
  const token = texts.get('token');
  return token === undefined ? { reason: 'client-orderid-reused' } : { ...answer, reason: 'accepted', token };
};

type AnyDeviceEvent<Accepted extends AcceptedDeviceOrder> = DeviceOrderAccepted<Accepted> | DeviceOrderEvent;

export const deviceOrderContext = <Accepted extends AcceptedDeviceOrder>(
  codec: EventCodec<AnyDeviceEvent<Accepted>>,
  streamOf: OrderContext<AnyDeviceEvent<Accepted>, DeviceOrderState<Accepted>>['streamOf'],
): OrderContext<AnyDeviceEvent<Accepted>, DeviceOrderState<Accepted>> => ({
  codec,
  // Only the context itself accepts orders.
  decider: { ...deviceOrderDecider<Accepted>(), decide: (command, state) => decideDeviceOrderState(command, state) },
  orderOf: (state) => (state.status === 'none' ? undefined : state),
  streamOf,
});
