import type { Card, Secret } from '@app/kernel';
import { emailDigest, receivingFaceOf, type CardVault, type ServiceDigests } from '@app/card-vault';
import { load, storeWithin } from '@app/event-store';
import {
  laneIsFull,
  acceptOrder,
  workLane,
  type OrderRefused,
  type OrderRequest,
  type OrderAcceptedAnswer,
  type AcceptOrderPorts,
} from '@app/order-processing';
import {
  answerToRepeat,
  firstGateOf,
  packTexts,
  SEALED_FIELDS,
  termsOf,
  type AcceptanceRejection,
  type Customer,
} from '@app/order-processing/domain';
import { payment } from '../domain/payment.decide';
import { paymentCodec } from '../payment.codec';
import { paymentStream } from '../payment.stream';

/** Has a single amount, because only a charge of a registered card may bring several to be tried. */
export interface PaymentRequest extends Omit<OrderRequest, 'amounts'> {
  readonly card: Secret<Card>;
  readonly customer: Customer;
}

export type PaymentRefused = OrderRefused<AcceptanceRejection>;

export interface AcceptPaymentPorts extends AcceptOrderPorts {
  readonly vault: CardVault;
  readonly digests: Pick<ServiceDigests, 'onceKey'>;
}

/** Accepts an initial payment: one order for each client_orderid, however often it is requested. */
export class AcceptPaymentHandler {
  constructor(private readonly ports: AcceptPaymentPorts) {}

  /** @throws StoreUnavailable, VaultUnavailable: nothing was accepted; OutcomeUnknown: perhaps it was. */
  async handle(request: PaymentRequest): Promise<OrderAcceptedAnswer | PaymentRefused> {
    const { merchant, clientOrderId, contentDigest, operation, amount, cvv, deadline } = request;
    const { store, vault, cvvQueue, routes, clock, orderIds, failpoints } = this.ports;
    const stream = paymentStream(merchant, clientOrderId);
    // Before the vault is used, so that a repeat and a refusal leave no card behind.
    const { state } = await load(storeWithin(store, deadline), stream, payment, paymentCodec);
    if (state.status !== 'none') return answerOf(answerToRepeat(state.order, contentDigest));
    const terms = termsOf(request.offer, { operation, amount });
    if ('reason' in terms) return terms;
    const face = receivingFaceOf(request.card.reveal().number);
    const routed = routes.route(request.offer, { merchant, amount, card: face, customer: () => request.customer.email });
    const offer = routed instanceof Promise ? await routed : routed;
    const lane = workLane(merchant, firstGateOf(offer));
    if (cvv !== undefined && !cvvQueue.hasRoomIn(lane)) throw laneIsFull();

    const given = orderIds.next('payment');
    const orderId = typeof given === 'string' ? given : await given;
    const card = await vault.keep(merchant, request.card, stream, deadline);
    failpoints.reach('P2');
    const sealed = await this.seal(request);
    const order = { orderId, merchant, clientOrderId, contentDigest, amount, card, ...sealed };
    const now = clock.now();
    const command = { type: 'AcceptPayment' as const, data: { order, operation, offer, now } };
    const rejection = await acceptOrder(this.ports, request, { codec: paymentCodec, decider: payment, stream, command, lane, now });
    if (rejection !== undefined) return answerOf(rejection as AcceptanceRejection);
    return { reason: 'accepted', orderId, endpointId: terms.endpointId };
  }

  private async seal({ merchant, customer, details, deadline }: PaymentRequest) {
    const key = await this.ports.sealer.takeKey(deadline);
    return {
      customer: key.seal(merchant, SEALED_FIELDS.customer, packTexts(customer)),
      details: key.seal(merchant, SEALED_FIELDS.details, packTexts(details)),
      ...(customer.email !== undefined && { emailDigest: emailDigest(this.ports.digests, customer.email) }),
    };
  }
}

const answerOf = (rejection: AcceptanceRejection): OrderAcceptedAnswer | PaymentRefused =>
  rejection.reason === 'accepted-before' ? { ...rejection, reason: 'accepted' } : rejection;
