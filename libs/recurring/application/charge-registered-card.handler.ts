import { makeOrderId } from '@app/kernel';
import type {
  CardRefId,
  ClientOrderId,
  Clock,
  ContentDigest,
  EndpointId,
  Failpoints,
  MerchantLogin,
  Money,
  OrderId,
  Random,
  Secret,
} from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import { load, runOpeningDecision, StoreUnavailable, type Envelope, type EventStore, type StreamName } from '@app/event-store';
import { workLane, type CvvDesk } from '@app/order-processing';
import { answerToRepeat, packTexts, SEALED_FIELDS, type Offer, type OrderDetails } from '@app/order-processing/domain';
import { chargeTermsOf, recurring, type CardReference, type ChargeRejection } from '../domain/recurring.decide';
import type { RecurrentMarks } from '../domain/recurring.events';
import { recurringCodec } from '../recurring.codec';
import { recurringStream } from '../recurring.stream';

/** Card references as this context sees them; the app reads them from their own stream (architecture, rule 10). */
export interface CardReferences {
  find(merchant: MerchantLogin, cardRefId: CardRefId): Promise<CardReference>;
}

export interface ChargeRequest {
  readonly merchant: MerchantLogin;
  readonly clientOrderId: ClientOrderId;
  readonly contentDigest: ContentDigest;
  readonly cardRefId: CardRefId;
  readonly amount: Money;
  readonly cvv?: Secret<string>;
  readonly details: OrderDetails;
  readonly marks: RecurrentMarks;
  readonly offer: Offer;
  /** The request's serial-number. */
  readonly serial: string;
}

export type ChargeAccepted = { readonly reason: 'accepted'; readonly orderId: OrderId; readonly endpointId: EndpointId };
export type ChargeRefused = Exclude<ChargeRejection, { readonly reason: 'accepted-before' }>;

export interface ChargeRegisteredCardPorts {
  readonly store: EventStore;
  readonly sealer: OrderSealer;
  readonly references: CardReferences;
  readonly cvvDesk: CvvDesk;
  readonly clock: Clock;
  readonly random: Random;
  readonly failpoints: Failpoints;
}

/** Takes a recurrent payment in: one append, no read but that of the reference. A repeat meets its own stream and is answered from it. */
export class ChargeRegisteredCardHandler {
  constructor(private readonly ports: ChargeRegisteredCardPorts) {}

  /** @throws StoreUnavailable, VaultUnavailable: nothing was accepted; OutcomeUnknown: perhaps it was. */
  async handle(request: ChargeRequest): Promise<ChargeAccepted | ChargeRefused> {
    const { merchant, clientOrderId, contentDigest, cardRefId, amount, cvv, marks, offer, serial } = request;
    const { store, sealer, references, cvvDesk, clock, random, failpoints } = this.ports;
    const stream = recurringStream(merchant, clientOrderId);
    const reference = await references.find(merchant, cardRefId);
    // Before a key is taken: what is refused uses none up.
    const terms = chargeTermsOf(offer, amount, reference);
    if ('reason' in terms) return (await this.acceptedBefore(request, stream)) ?? terms;
    const lane = workLane(merchant, terms.plan.gates[0].alias);
    if (cvv !== undefined && !cvvDesk.hasRoomIn(lane)) {
      const before = await this.acceptedBefore(request, stream);
      if (before === undefined) throw new StoreUnavailable('too many orders wait for their first submit');
      return before;
    }
    const key = await sealer.takeKey();
    const details = key.seal(merchant, SEALED_FIELDS.details, packTexts(request.details));
    failpoints.reach('P2');
    const orderId = makeOrderId('r', (size) => random.bytes(size));
    const order = { orderId, merchant, clientOrderId, contentDigest, amount, details };
    const now = clock.now();
    const envelope: Envelope = { correlation: serial, causation: serial, actor: merchant, merchant, commandId: serial, recordedAt: now };
    const command = { type: 'ChargeRegisteredCard' as const, data: { order, cardRefId, reference, marks, offer, now } };
    const result = await runOpeningDecision({ store, codec: recurringCodec, decider: recurring, stream, command, envelope });
    if (result.kind === 'rejected') return answerOf(result.rejection as ChargeRejection);
    failpoints.reach('P3');
    if (cvv !== undefined) cvvDesk.submitSoon({ lane, stream, cvv });
    const [accepted] = result.events;
    if (accepted.type !== 'OrderAccepted') throw new Error(`${stream}: an acceptance began with ${accepted.type}`);
    return { reason: 'accepted', orderId: accepted.data.orderId, endpointId: accepted.data.endpointId };
  }

  /** Nothing new is taken, but what was accepted before stays accepted (architecture, rule 1). */
  private async acceptedBefore({ contentDigest }: ChargeRequest, stream: StreamName): Promise<ChargeAccepted | ChargeRefused | undefined> {
    const { state } = await load(this.ports.store, stream, recurring, recurringCodec);
    return state.status === 'none' ? undefined : answerOf(answerToRepeat(state.order, contentDigest));
  }
}

const answerOf = (rejection: ChargeRejection): ChargeAccepted | ChargeRefused =>
  rejection.reason === 'accepted-before' ? { ...rejection, reason: 'accepted' } : rejection;
