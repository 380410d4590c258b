import { isCardRefId, type Currency, type Money, type NonEmpty } from '@app/kernel';
import { amountsOf, type MakeRebillSaleRequest } from '@app/gateway-protocol';
import type { OperationName } from '@app/configuration';
import type { OrderAcceptedAnswer } from '@app/order-processing';
import type { Operation } from '@app/order-processing/domain';
import type { ChargeRefused, ChargeRequest } from '@app/recurring';
import type { RecurrentMarks } from '@app/recurring/events';
import type { AdmittedRequest } from '../merchant-api/admitted-request';
import { refused, type Answer, type Refusals } from '../merchant-api/answers/answer';
import type { ExistingAnswer, KeyedTranslation } from '../merchant-api/translation';
import { ORDER_REFUSALS, orderIntake, refusedOrder, type OrderIntakePorts } from '../merchant-api/orders/order-intake';
import { existingOrder, type ExistingOrders } from '../merchant-api/orders/existing-order';

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
const MAKE_REBILL_SALE: Rebill = { name: 'make-rebill-sale', operation: 'sale' };
const MAKE_REBILL_PREAUTH: Rebill = { name: 'make-rebill-preauth', operation: 'preauth' };

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

/** Recurrent payment or recurrent pre-authorisation (interface, section 2.4; protocol decisions, section 1). */
class Rebilling implements KeyedTranslation<MakeRebillSaleRequest> {
  constructor(
    private readonly rebill: Rebill,
    private readonly ports: MakeRebillPorts,
  ) {}

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

/** Each of them by its own name. */
export class MakeRebills {
  readonly makeRebillSale: KeyedTranslation<MakeRebillSaleRequest>;
  readonly makeRebillPreauth: KeyedTranslation<MakeRebillSaleRequest>;

  constructor(ports: MakeRebillPorts) {
    this.makeRebillSale = new Rebilling(MAKE_REBILL_SALE, ports);
    this.makeRebillPreauth = new Rebilling(MAKE_REBILL_PREAUTH, ports);
  }
}
