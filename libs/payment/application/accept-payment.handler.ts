import type { Card, Secret } from '@app/kernel';
import { emailDigest, receivingFaceOf, type CardVault, type ServiceDigests } from '@app/card-vault';
import { load, storeWithin } from '@app/event-store';
import {
  laneIsFull,
  acceptOrder,
  type OrderRefused,
  type OrderRequest,
  type OrderAcceptedAnswer,
  type AcceptOrderPorts,
} from '@app/orders';
import { answerToRepeat, packTexts, SEALED_FIELDS, termsOf, type AcceptanceRejection, type Customer } from '@app/orders/domain';
import { payment } from '../domain/payment';
import { paymentCodec, paymentStream } from './payment.codec';

/** Has a single amount, because only a charge of a registered card may list several. */
export interface PaymentRequest extends Omit<OrderRequest, 'amounts'> {
  readonly card: Secret<Card>;
  readonly customer: Customer;
}

export type PaymentRefused = OrderRefused<AcceptanceRejection>;

export interface AcceptPaymentPorts extends AcceptOrderPorts {
  readonly vault: CardVault;
  readonly digests: Pick<ServiceDigests, 'onceKey'>;
}

/** Accepts one order for each client_orderid, however often it is requested. */
export class AcceptPaymentHandler {
  constructor(private readonly ports: AcceptPaymentPorts) {}

  /** @throws StoreUnavailable, VaultUnavailable: nothing was accepted; OutcomeUnknown: perhaps it was. */
  async handle(request: PaymentRequest): Promise<OrderAcceptedAnswer | PaymentRefused> {
    const { merchant, clientOrderId, contentDigest, operation, amount, deadline } = request;
    const { store, vault } = this.ports;
    const stream = paymentStream(merchant, clientOrderId);
    // Before the vault is used, so that a repeat and a refusal leave no card behind.
    const { state } = await load(storeWithin(store, deadline), stream, payment, paymentCodec);
    if (state.status !== 'none') return answerOf(answerToRepeat(state.order, contentDigest));
    const terms = termsOf(request.offer, { operation, amount });
    if ('reason' in terms) return terms;
    const accepted = await acceptOrder(this.ports, request, {
      kind: 'payment',
      stream,
      codec: paymentCodec,
      decider: payment,
      routed: { card: receivingFaceOf(request.card.reveal().number), customer: () => request.customer.email },
      prepare: async () => ({ card: await vault.keep(merchant, request.card, stream, deadline), ...(await this.seal(request)) }),
      command: (contents, { orderId, offer, now }) => ({
        type: 'AcceptPayment' as const,
        data: { order: { orderId, merchant, clientOrderId, contentDigest, amount, ...contents }, operation, offer, now },
      }),
    });
    if (accepted.kind === 'full') throw laneIsFull();
    if (accepted.kind === 'rejected') return answerOf(accepted.rejection as AcceptanceRejection);
    return { reason: 'accepted', orderId: accepted.orderId, endpointId: terms.endpointId };
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
