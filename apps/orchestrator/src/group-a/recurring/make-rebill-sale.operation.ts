import { isCardRefId } from '@app/kernel';
import { isRebillControl, MakeRebillSaleRequest, type ControlKey } from '@app/gateway-protocol';
import type { ChargeRefused, ChargeRegisteredCardHandler } from '@app/recurring';
import type { RecurrentMarks } from '@app/recurring/events';
import { asyncAnswer } from '../async-answer';
import { refused, type AdmittedRequest, type Answer, type GroupAOperation, type Signed } from '../operation';
import { ORDER_REFUSALS, orderIntake, refusedOrder, type OrderIntakePorts, type Refusals } from '../order-intake';

const REFUSALS: Refusals<ChargeRefused['reason']> = {
  ...ORDER_REFUSALS,
  'card-reference-unknown': { name: 'unknown-card-reference' },
  'card-reference-not-usable': { name: 'card-reference-not-usable' },
};

export interface MakeRebillSalePorts extends OrderIntakePorts {
  readonly handler: ChargeRegisteredCardHandler;
}

const marksOf = ({ recurrent_scenario: scenario, recurrent_initiator: initiator }: MakeRebillSaleRequest): RecurrentMarks => {
  if (scenario === undefined) return initiator === undefined ? {} : { initiator };
  return initiator === undefined ? { scenario } : { scenario, initiator };
};

/** Recurrent payment (interface, section 2.4). */
export class MakeRebillSaleOperation implements GroupAOperation<MakeRebillSaleRequest> {
  readonly name = 'make-rebill-sale';
  readonly message = MakeRebillSaleRequest;
  readonly hasLogin = true;
  readonly hasAmount = true;

  constructor(private readonly ports: MakeRebillSalePorts) {}

  isSigned({ form, entryPointId, amountMinor, rebillControl }: Signed, key: ControlKey): boolean {
    const signed = {
      entryPoint: entryPointId,
      login: form.text('login'),
      clientOrderId: form.text('client_orderid'),
      cardRefId: form.text('cardrefid'),
      amountMinor,
      currency: form.text('currency'),
    };
    return isRebillControl(signed, form.text('control'), key, rebillControl);
  }

  async perform(request: AdmittedRequest<MakeRebillSaleRequest>): Promise<Answer> {
    const { message, serial } = request;
    const { cardrefid } = message;
    // To ignore it would charge the wrong sum.
    if (message.enumerate_amounts !== undefined) return refused('operation-not-supported', 'enumerate_amounts is not supported');
    const intake = orderIntake(this.ports, { operation: 'sale', operationName: this.name }, request);
    const { order, fault } = intake;
    if (!isCardRefId(cardrefid)) return fault === undefined ? refused('unknown-card-reference') : refused('malformed-field', fault);
    const outcome = await this.ports.handler.handle({ cardRefId: cardrefid, marks: marksOf(message), ...order });
    if (outcome.reason === 'accepted') return asyncAnswer(serial, message.client_orderid, outcome.orderId);
    return refusedOrder(REFUSALS, outcome.reason, intake);
  }
}
