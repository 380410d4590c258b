import { Controller, Inject } from '@nestjs/common';
import { isCardRefId, type Currency, type Money, type NonEmpty } from '@app/kernel';
import { amountsOf, type MakeRebillSaleRequest } from '@app/gateway-protocol';
import type { OperationName } from '@app/configuration';
import type { Operation } from '@app/orders/domain';
import {
  type AdmittedRequest,
  refused,
  type Answer,
  type Refusals,
  type ExistingAnswer,
  type KeyedTranslation,
  findExistingOrder,
  type ExistingOrders,
  Admitted,
  type Answered,
  GroupAOperation,
  type Serves,
  IdempotencyKeys,
} from '@app/http/group-a';
import { ORDER_REFUSALS, orderIntake, refusedOrder, type OrderIntakePorts } from '@app/orders/http';
import type { ChargeRefused, ChargeRegisteredCardHandler } from '../application/charge-registered-card.handler';
import type { RecurrentMarks } from '../domain/recurring';

const REFUSALS: Refusals<ChargeRefused['reason']> = {
  ...ORDER_REFUSALS,
  'card-reference-unknown': { name: 'unknown-card-reference' },
  'card-reference-not-usable': { name: 'card-reference-not-usable' },
};

export interface RebillPorts extends OrderIntakePorts {
  readonly handler: Pick<ChargeRegisteredCardHandler, 'handle'>;
  readonly orders: ExistingOrders;
}

interface RebillOperation {
  readonly name: OperationName;
  readonly operation: Operation;
}
const MAKE_REBILL_SALE: RebillOperation = { name: 'make-rebill-sale', operation: 'sale' };
const MAKE_REBILL_PREAUTH: RebillOperation = { name: 'make-rebill-preauth', operation: 'preauth' };

const marksOf = ({ recurrent_scenario: scenario, recurrent_initiator: initiator }: MakeRebillSaleRequest): RecurrentMarks => {
  if (scenario === undefined) return initiator === undefined ? {} : { initiator };
  return initiator === undefined ? { scenario } : { scenario, initiator };
};

/** In the order of the attempts; absent if only the order's amount is tried (protocol decisions, D7.4). */
const amountsIn = ({ enumerate_amounts: listed, currency }: MakeRebillSaleRequest): { readonly amounts?: NonEmpty<Money> } => {
  if (listed === undefined) return {};
  const [first, ...rest] = amountsOf(listed);
  const money = (minor: bigint): Money => ({ minor, currency: currency as Currency });
  return { amounts: [money(first), ...rest.map(money)] };
};

/** Recurrent payment or recurrent pre-authorisation (interface, section 2.4). */
class RebillTranslation implements KeyedTranslation<MakeRebillSaleRequest> {
  constructor(
    private readonly rebill: RebillOperation,
    private readonly ports: RebillPorts,
  ) {}

  async perform(request: AdmittedRequest<MakeRebillSaleRequest>): Promise<Answer> {
    const { message } = request;
    const { client_orderid: clientOrderId, cardrefid, currency } = message;
    const { name: operationName, operation } = this.rebill;
    const intake = orderIntake(this.ports, { operation, operationName, currency }, request);
    const { order, addressFault } = intake;
    if (!isCardRefId(cardrefid))
      return addressFault === undefined ? refused('unknown-card-reference') : refused('malformed-field', addressFault);
    const charge = { cardRefId: cardrefid, marks: marksOf(message), ...amountsIn(message), ...order };
    const outcome = await this.ports.handler.handle(charge);
    if (outcome.reason === 'accepted') return { kind: 'accepted', clientOrderId, orderId: outcome.orderId };
    return refusedOrder(REFUSALS, outcome.reason, intake);
  }

  async findExisting(request: AdmittedRequest<MakeRebillSaleRequest>): Promise<ExistingAnswer | undefined> {
    const existing = await findExistingOrder(this.ports.orders, 'recurring', request);
    if (existing === undefined) return undefined;
    // The interface lists no end-point-id in this answer (interface, section 2.4).
    const { endpointId: _endpointId, ...accepted } = existing.accepted;
    return { ...existing, accepted };
  }
}

export class RebillTranslations {
  readonly makeRebillSale: KeyedTranslation<MakeRebillSaleRequest>;
  readonly makeRebillPreauth: KeyedTranslation<MakeRebillSaleRequest>;

  constructor(ports: RebillPorts) {
    this.makeRebillSale = new RebillTranslation(MAKE_REBILL_SALE, ports);
    this.makeRebillPreauth = new RebillTranslation(MAKE_REBILL_PREAUTH, ports);
  }
}

@Controller('api')
export class RecurringController implements Serves<'makeRebillSale' | 'makeRebillPreauth'> {
  constructor(
    @Inject(RebillTranslations) private readonly translations: RebillTranslations,
    @Inject(IdempotencyKeys) private readonly idempotency: IdempotencyKeys,
  ) {}

  @GroupAOperation('makeRebillSale')
  makeRebillSale(@Admitted() request: AdmittedRequest<MakeRebillSaleRequest>): Promise<Answered> {
    return this.idempotency.perform(request, this.translations.makeRebillSale);
  }

  @GroupAOperation('makeRebillPreauth')
  makeRebillPreauth(@Admitted() request: AdmittedRequest<MakeRebillSaleRequest>): Promise<Answered> {
    return this.idempotency.perform(request, this.translations.makeRebillPreauth);
  }
}
