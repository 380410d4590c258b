import type {
  Card,
  Clock,
  ClientOrderId,
  ContentDigest,
  EndpointId,
  Failpoints,
  MerchantLogin,
  Money,
  OrderId,
  Random,
  Secret,
} from '@app/kernel';
import { makeOrderId } from '@app/kernel';
import type { CardVault, OrderSealer } from '@app/card-vault';
import { load, runOpeningDecision, StoreUnavailable, type Envelope, type EventStore } from '@app/event-store';
import { workLane, type CvvDesk } from '@app/order-processing';
import {
  answerToRepeat,
  packTexts,
  SEALED_FIELDS,
  termsOf,
  type AcceptanceRejection,
  type Customer,
  type Offer,
  type OrderDetails,
} from '@app/order-processing/domain';
import { payment } from '../domain/payment.decide';
import { paymentCodec } from '../payment.codec';
import { paymentStream } from '../payment.stream';

export interface PaymentRequest {
  readonly merchant: MerchantLogin;
  readonly clientOrderId: ClientOrderId;
  readonly contentDigest: ContentDigest;
  readonly amount: Money;
  readonly card: Secret<Card>;
  readonly cvv?: Secret<string>;
  readonly customer: Customer;
  readonly details: OrderDetails;
  readonly offer: Offer;
  /** The request's serial-number. */
  readonly serial: string;
}

export type PaymentTaken = { readonly reason: 'accepted'; readonly orderId: OrderId; readonly endpointId: EndpointId };
export type PaymentRefused = Exclude<AcceptanceRejection, { readonly reason: 'accepted-before' }>;

export interface TakePaymentPorts {
  readonly store: EventStore;
  readonly vault: CardVault;
  readonly sealer: OrderSealer;
  readonly cvvDesk: CvvDesk;
  readonly clock: Clock;
  readonly random: Random;
  readonly failpoints: Failpoints;
}

/** Takes an initial payment in: one order a client_orderid, however often it is asked for. */
export class TakePaymentHandler {
  constructor(private readonly ports: TakePaymentPorts) {}

  /** @throws StoreUnavailable, VaultUnavailable: nothing was accepted; OutcomeUnknown: perhaps it was. */
  async handle(request: PaymentRequest): Promise<PaymentTaken | PaymentRefused> {
    const { merchant, clientOrderId, contentDigest, amount, offer, cvv } = request;
    const { store, vault, cvvDesk, clock, random, failpoints } = this.ports;
    const stream = paymentStream(merchant, clientOrderId);
    // Before the vault is touched: a repeat and a refusal keep no card.
    const { state } = await load(store, stream, payment, paymentCodec);
    if (state.status !== 'none') return taken(answerToRepeat(state.order, contentDigest));
    const terms = termsOf(offer, amount);
    if ('reason' in terms) return terms;
    const lane = workLane(merchant, terms.plan.gates[0].alias);
    if (cvv !== undefined && !cvvDesk.hasRoomIn(lane)) throw new StoreUnavailable('too many orders wait for their first submit');

    const orderId = makeOrderId('p', (size) => random.bytes(size));
    const card = await vault.keep(merchant, request.card, stream);
    failpoints.reach('P2');
    const sealed = await this.seal(request);
    const order = { orderId, merchant, clientOrderId, contentDigest, amount, card, ...sealed };
    const now = clock.now();
    const envelope: Envelope = {
      correlation: request.serial,
      causation: request.serial,
      actor: merchant,
      merchant,
      commandId: request.serial,
      recordedAt: now,
    };
    const command = { type: 'TakePayment' as const, data: { order, offer, now } };
    const result = await runOpeningDecision({ store, codec: paymentCodec, decider: payment, stream, command, envelope });
    if (result.kind === 'rejected') return taken(result.rejection as AcceptanceRejection);
    failpoints.reach('P3');
    if (cvv !== undefined) cvvDesk.submitSoon({ lane, stream, cvv });
    return { reason: 'accepted', orderId, endpointId: terms.endpointId };
  }

  private async seal({ merchant, customer, details }: PaymentRequest) {
    const key = await this.ports.sealer.takeKey();
    return {
      customer: key.seal(merchant, SEALED_FIELDS.customer, packTexts(customer)),
      details: key.seal(merchant, SEALED_FIELDS.details, packTexts(details)),
    };
  }
}

const taken = (rejection: AcceptanceRejection): PaymentTaken | PaymentRefused =>
  rejection.reason === 'accepted-before' ? { ...rejection, reason: 'accepted' } : rejection;
