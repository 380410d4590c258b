import type { CardRefId, CardUid, Clock, ClientOrderId, EndpointId, MerchantLogin, OrderId } from '@app/kernel';
import type { ServiceDigests } from '@app/card-vault';
import { runDecision, type EventStore } from '@app/event-store';
import { requestEnvelope, type OrderFacts } from '@app/order-processing';
import type { OrderFact } from '@app/order-processing/domain';
import { cardRegistrationCodec } from '../card-registration.codec';
import { cardReferenceStream } from '../card-registration.stream';
import { cardRegistration } from '../domain/card-registration.decide';

export interface RegisterCardRequest {
  readonly merchant: MerchantLogin;
  readonly clientOrderId: ClientOrderId;
  readonly orderId: OrderId;
  /** The request's serial-number. */
  readonly serial: string;
}

export type CardRegistered = {
  readonly reason: 'registered';
  readonly cardRefId: CardRefId;
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

  async handle({ merchant, clientOrderId, orderId, serial }: RegisterCardRequest): Promise<CardRegistered | RegistrationRefused> {
    const { store, orders, digests, clock } = this.ports;
    const order = await orders.orderOf(merchant, clientOrderId, orderId);
    if (order === undefined) return { reason: 'order-unknown' };
    const { endpointId } = order;
    const cardRefId = digests.cardRefId(merchant, order.orderId, 'source');
    const registered = { reason: 'registered' as const, cardRefId, uid: order.card.uid, endpointId };
    const stream = cardReferenceStream(merchant, cardRefId);
    const now = clock.now();
    const envelope = requestEnvelope(merchant, serial, now);
    const command = { type: 'IssueCardReference' as const, data: { merchant, cardRefId, use: 'source' as const, order, now } };
    const result = await runDecision({ store, codec: cardRegistrationCodec, decider: cardRegistration, stream, command, envelope });
    if (result.kind === 'appended') return registered;
    const { rejection } = result;
    if (rejection.reason === 'accepted-before') return registered;
    return rejection.reason === 'order-not-final' ? rejection : { ...rejection, endpointId };
  }
}
