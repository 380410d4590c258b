import { isCardRefId, type Currency, type Money, type NonEmpty } from '@app/kernel';
import { amountsOf, isControl, isRebillControl, MakeRebillSaleRequest, rebillControl } from '@app/gateway-protocol';
import type { OperationName } from '@app/configuration';
import type { OrderAcceptedAnswer } from '@app/order-processing';
import type { Operation } from '@app/order-processing/domain';
import type { ChargeRefused, ChargeRequest } from '@app/recurring';
import type { RecurrentMarks } from '@app/recurring/events';
import { refused, type AdmittedRequest, type Answer, type ControlProof, type GroupAOperation, type ExistingAnswer } from '../operation';
import { ORDER_REFUSALS, orderIntake, refusedOrder, type OrderIntakePorts, type Refusals } from '../order-intake';
import { isRebillOfFollowUp, MAY_BE_FOLLOW_UP_FROM } from '../shared-text';
import { existingOrder, type ExistingOrders } from '../existing-order';

const REFUSALS: Refusals<ChargeRefused['reason']> = {
  ...ORDER_REFUSALS,
  'card-reference-unknown': { name: 'unknown-card-reference' },
  'card-reference-not-usable': { name: 'card-reference-not-usable' },
};

/** Charges registered cards; the context's handler. */
export interface ChargesRegisteredCards {
  handle(request: ChargeRequest): Promise<OrderAcceptedAnswer | ChargeRefused>;
}

export interface MakeRebillPorts extends OrderIntakePorts {
  readonly handler: ChargesRegisteredCards;
  readonly orders: ExistingOrders;
}

/** What tells the two recurrent operations apart: what the gate does with the money. */
interface Rebill {
  readonly name: OperationName;
  readonly operation: Operation;
}
export const MAKE_REBILL_SALE: Rebill = { name: 'make-rebill-sale', operation: 'sale' };
export const MAKE_REBILL_PREAUTH: Rebill = { name: 'make-rebill-preauth', operation: 'preauth' };

const marksOf = ({ recurrent_scenario: scenario, recurrent_initiator: initiator }: MakeRebillSaleRequest): RecurrentMarks => {
  if (scenario === undefined) return initiator === undefined ? {} : { initiator };
  return initiator === undefined ? { scenario } : { scenario, initiator };
};

/** In the order in which they are tried; absent where the amount alone is (protocol decisions, section 7). */
const amountsIn = ({ enumerate_amounts: listed, currency }: MakeRebillSaleRequest): { readonly amounts?: NonEmpty<Money> } => {
  if (listed === undefined) return {};
  const [first, ...rest] = amountsOf(listed);
  const money = (minor: bigint): Money => ({ minor, currency: currency as Currency });
  return { amounts: [money(first), ...rest.map(money)] };
};

/** Recurrent payment and recurrent pre-authorisation (interface, section 2.4; protocol decisions, section 1). */
export class MakeRebillOperation implements GroupAOperation<MakeRebillSaleRequest> {
  readonly name;
  readonly message = MakeRebillSaleRequest;
  readonly amount = 'required';
  readonly proof: ControlProof = {
    kind: 'control',
    hasLogin: true,
    isSigned: ({ form, entryPointId, amountMinor, rebillControl: accepted, deadline }, key) => {
      const signed = {
        entryPoint: entryPointId,
        login: form.text('login'),
        clientOrderId: form.text('client_orderid'),
        cardRefId: form.text('cardrefid'),
        amountMinor,
        currency: form.text('currency'),
      };
      const sent = form.text('control');
      const isSigned = isRebillControl(signed, sent, key, accepted);
      if (!isSigned || amountMinor < MAY_BE_FOLLOW_UP_FROM || isControl(rebillControl(signed, key, 'with-endpoint'), sent)) return isSigned;
      return isRebillOfFollowUp(this.ports.orders, signed, deadline).then((isOther) => !isOther);
    },
  };

  constructor(
    private readonly rebill: Rebill,
    private readonly ports: MakeRebillPorts,
  ) {
    this.name = rebill.name;
  }

  async perform(request: AdmittedRequest<MakeRebillSaleRequest>): Promise<Answer> {
    const { message } = request;
    const { client_orderid: clientOrderId, cardrefid, currency } = message;
    const { name: operationName, operation } = this.rebill;
    const intake = orderIntake(this.ports, { operation, operationName, currency }, request);
    const { order, fault } = intake;
    if (!isCardRefId(cardrefid)) return fault === undefined ? refused('unknown-card-reference') : refused('malformed-field', fault);
    const charge = { cardRefId: cardrefid, marks: marksOf(message), ...amountsIn(message), ...order };
    const outcome = await this.ports.handler.handle(charge);
    if (outcome.reason === 'accepted') return { kind: 'accepted', clientOrderId, orderId: outcome.orderId };
    return refusedOrder(REFUSALS, outcome.reason, intake);
  }

  async existing(request: AdmittedRequest<MakeRebillSaleRequest>): Promise<ExistingAnswer | undefined> {
    const existing = await existingOrder(this.ports.orders, 'recurring', request);
    if (existing === undefined) return undefined;
    // The interface's table of this answer has no end-point-id.
    const { endpointId: _endpointId, ...accepted } = existing.accepted;
    return { ...existing, accepted };
  }
}
