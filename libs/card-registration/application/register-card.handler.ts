import type { CardRefId, CardUid, Clock, ClientOrderId, EndpointId, MerchantLogin, OrderId } from '@app/kernel';
import { requestEnvelope, type NamedRequest, type OrderFacts } from '@app/orders';
import type { OrderFact } from '@app/orders/domain';
import type { CardUse } from '../domain/card-registration';
import { issueReference, type IssuePorts } from './map-cards';

export interface RegisterCardRequest extends NamedRequest {
  readonly merchant: MerchantLogin;
  readonly clientOrderId: ClientOrderId;
  readonly orderId: OrderId;
  /** Also requests a second reference, only for transfers to the card (protocol decisions, section 4). */
  readonly withDestination?: boolean;
}

export type CardRegistered = {
  readonly reason: 'registered';
  readonly cardRefId: CardRefId;
  readonly destinationCardRefId?: CardRefId;
  readonly uid: CardUid;
  readonly endpointId: EndpointId;
};

export type RegistrationRefused =
  | { readonly reason: 'order-unknown' }
  /** The card was erased, on request or by age. */
  | { readonly reason: 'card-shredded' }
  | { readonly reason: 'order-not-final' }
  | {
      readonly reason: 'order-not-approved';
      readonly end: Extract<OrderFact['end'], { kind: 'refused' }>;
      readonly endpointId: EndpointId;
    };

export interface RegisterCardPorts extends IssuePorts {
  readonly orders: OrderFacts;
  readonly clock: Clock;
}

/** Issues a reference derived from merchant and order, so that a repeat finds the same one. A device-interface order keeps its mapped references. */
export class RegisterCardHandler {
  constructor(private readonly ports: RegisterCardPorts) {}

  async handle(request: RegisterCardRequest): Promise<CardRegistered | RegistrationRefused> {
    const { merchant, clientOrderId, orderId, deadline } = request;
    const order = await this.ports.orders.orderOf(merchant, clientOrderId, orderId, deadline);
    if (order === undefined) return { reason: 'order-unknown' };
    if (order.isCardErased === true) return { reason: 'card-shredded' };
    const { endpointId, card } = order;
    const source = await this.issue(request, order, 'source');
    if ('reason' in source) return source;
    if (card === undefined) throw new Error(`${orderId} has a reference and no card`);
    const registered = { reason: 'registered' as const, cardRefId: source.cardRefId, uid: card.uid, endpointId };
    if (request.withDestination !== true) return registered;
    const destination = await this.issue(request, order, 'destination');
    if ('reason' in destination) throw new Error(`${orderId}: its card has a reference to charge and gets none for transfers`);
    return { ...registered, destinationCardRefId: destination.cardRefId };
  }

  private async issue(
    request: RegisterCardRequest,
    order: OrderFact,
    use: CardUse,
  ): Promise<{ readonly cardRefId: CardRefId } | RegistrationRefused> {
    // A card given by a reference keeps it.
    const known = order.mapped?.[use];
    if (known !== undefined) return { cardRefId: known };
    const { merchant, deadline } = request;
    const now = this.ports.clock.now();
    const envelope = requestEnvelope(merchant, request, now);
    const issued = await issueReference(this.ports, { merchant, order, use, envelope, now, deadline });
    return 'reason' in issued && issued.reason === 'order-not-approved' ? { ...issued, endpointId: order.endpointId } : issued;
  }
}
