import type { CardRefId, Deadline, MerchantLogin } from '@app/kernel';
import { load, storeWithin, type StreamName } from '@app/event-store';
import {
  laneIsFull,
  acceptOrder,
  orderTexts,
  type OrderRefused,
  type OrderRequest,
  type OrderAcceptedAnswer,
  type AcceptOrderPorts,
} from '@app/orders';
import { answerToRepeat, packTexts, SEALED_FIELDS } from '@app/orders/domain';
import { chargeTermsOf, recurring, type CardReference, type ChargeRejection, type RecurrentMarks } from '../domain/recurring';
import { recurringCodec, recurringStream } from './recurring.codec';

export interface CardReferences {
  find(merchant: MerchantLogin, cardRefId: CardRefId, deadline?: Deadline): Promise<CardReference>;
}

export interface ChargeRequest extends OrderRequest {
  readonly cardRefId: CardRefId;
  readonly marks: RecurrentMarks;
}

export type ChargeRefused = OrderRefused<ChargeRejection>;

export interface ChargeRegisteredCardPorts extends AcceptOrderPorts {
  readonly references: CardReferences;
}

/** Accepts a recurrent payment: reads only the reference and appends once. A repeat is answered from its stream. */
export class ChargeRegisteredCardHandler {
  constructor(private readonly ports: ChargeRegisteredCardPorts) {}

  /** @throws StoreUnavailable, VaultUnavailable: nothing was accepted; OutcomeUnknown: perhaps it was. */
  async handle(request: ChargeRequest): Promise<OrderAcceptedAnswer | ChargeRefused> {
    const { merchant, clientOrderId, contentDigest, cardRefId, operation, amount, amounts, marks, deadline } = request;
    const { sealer, references } = this.ports;
    const stream = recurringStream(merchant, clientOrderId);
    const asked = amounts === undefined ? {} : { amounts };
    const reference = await references.find(merchant, cardRefId, deadline);
    // Before a key is taken, so that a refused request does not consume one.
    const terms = chargeTermsOf(request.offer, { operation, amount, ...asked }, reference);
    if ('reason' in terms) return (await this.acceptedBefore(request, stream)) ?? terms;
    const customer = async () =>
      (await orderTexts(sealer, { merchant, field: SEALED_FIELDS.customer, sealed: terms.customer, deadline })).get('email');
    const accepted = await acceptOrder(this.ports, request, {
      kind: 'recurring',
      stream,
      codec: recurringCodec,
      decider: recurring,
      routed: { card: terms.card.face, customer },
      prepare: async () => {
        const key = await sealer.takeKey(deadline);
        return { details: key.seal(merchant, SEALED_FIELDS.details, packTexts(request.details)) };
      },
      command: (contents, { orderId, offer, now }) => ({
        type: 'ChargeRegisteredCard' as const,
        data: {
          order: { orderId, merchant, clientOrderId, contentDigest, amount, ...contents },
          cardRefId,
          reference,
          marks,
          operation,
          ...asked,
          offer,
          now,
        },
      }),
    });
    if (accepted.kind === 'accepted') return { reason: 'accepted', orderId: accepted.orderId, endpointId: terms.endpointId };
    if (accepted.kind === 'rejected') return answerOf(accepted.rejection as ChargeRejection);
    const before = await this.acceptedBefore(request, stream);
    if (before === undefined) throw laneIsFull();
    return before;
  }

  /** A request refused now may repeat an accepted order (architecture, rule 1). */
  private async acceptedBefore(
    { contentDigest, deadline }: ChargeRequest,
    stream: StreamName,
  ): Promise<OrderAcceptedAnswer | ChargeRefused | undefined> {
    const { state } = await load(storeWithin(this.ports.store, deadline), stream, recurring, recurringCodec);
    return state.status === 'none' ? undefined : answerOf(answerToRepeat(state.order, contentDigest));
  }
}

const answerOf = (rejection: ChargeRejection): OrderAcceptedAnswer | ChargeRefused =>
  rejection.reason === 'accepted-before' ? { ...rejection, reason: 'accepted' } : rejection;
