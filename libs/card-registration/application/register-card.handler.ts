import type { CardRefId, CardUid, Clock, ClientOrderId, EndpointId, MerchantLogin, OrderId } from '@app/kernel';
import type { ServiceDigests } from '@app/card-vault';
import { runDecision, type EventStore } from '@app/event-store';
import { requestEnvelope, type OrderFacts } from '@app/order-processing';
import type { OrderFact } from '@app/order-processing/domain';
import { cardRegistrationCodec } from '../card-registration.codec';
import { cardReferenceStream } from '../card-registration.stream';
import { cardRegistration } from '../domain/card-registration.decide';
import type { CardUse } from '../domain/card-registration.events';

export interface RegisterCardRequest {
  readonly merchant: MerchantLogin;
  readonly clientOrderId: ClientOrderId;
  readonly orderId: OrderId;
  /** A second reference too, which names the same card for transfers to it alone (protocol decisions, section 4). */
  readonly withDestination?: boolean;
  /** The request's serial-number. */
  readonly serial: string;
}

export type CardRegistered = {
  readonly reason: 'registered';
  readonly cardRefId: CardRefId;
  /** Where one was asked for. */
  readonly destinationCardRefId?: CardRefId;
  readonly uid: CardUid;
  readonly endpointId: EndpointId;
};

export type RegistrationRefused =
  | { readonly reason: 'order-unknown' }
  | { readonly reason: 'order-not-final' }
  | {
      readonly reason: 'order-not-approved';
      readonly end: Extract<OrderFact['end'], { kind: 'refused' }>;
      readonly endpointId: EndpointId;
    };

export interface RegisterCardPorts {
  readonly store: EventStore;
  readonly orders: OrderFacts;
  readonly digests: ServiceDigests;
  readonly clock: Clock;
}

/** Gives an approved order's card its reference; derived from merchant and order, so that asking again finds the same. */
export class RegisterCardHandler {
  constructor(private readonly ports: RegisterCardPorts) {}

  async handle(request: RegisterCardRequest): Promise<CardRegistered | RegistrationRefused> {
    const { merchant, clientOrderId, orderId } = request;
    const order = await this.ports.orders.orderOf(merchant, clientOrderId, orderId);
    if (order === undefined) return { reason: 'order-unknown' };
    const { endpointId, card } = order;
    const source = await this.issue(request, order, 'source');
    if ('reason' in source) return source;
    const registered = { reason: 'registered' as const, cardRefId: source.cardRefId, uid: card.uid, endpointId };
    if (request.withDestination !== true) return registered;
    const destination = await this.issue(request, order, 'destination');
    if ('reason' in destination) throw new Error(`${orderId}: its card has a reference to charge and gets none for transfers`);
    return { ...registered, destinationCardRefId: destination.cardRefId };
  }

  private async issue(
    { merchant, serial }: RegisterCardRequest,
    order: OrderFact,
    use: CardUse,
  ): Promise<{ readonly cardRefId: CardRefId } | RegistrationRefused> {
    const { store, digests, clock } = this.ports;
    const cardRefId = digests.cardRefId(merchant, order.orderId, use);
    const stream = cardReferenceStream(merchant, cardRefId);
    const now = clock.now();
    const envelope = requestEnvelope(merchant, serial, now);
    const command = { type: 'IssueCardReference' as const, data: { merchant, cardRefId, use, order, now } };
    const result = await runDecision({ store, codec: cardRegistrationCodec, decider: cardRegistration, stream, command, envelope });
    if (result.kind === 'appended' || result.rejection.reason === 'accepted-before') return { cardRefId };
    const { rejection } = result;
    return rejection.reason === 'order-not-final' ? rejection : { ...rejection, endpointId: order.endpointId };
  }
}
