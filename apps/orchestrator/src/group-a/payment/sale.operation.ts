import { cardOf, initialPaymentControl, isControl, SaleRequest, type ControlKey } from '@app/gateway-protocol';
import type { Customer } from '@app/order-processing/domain';
import type { TakePaymentHandler } from '@app/payment';
import { asyncAnswer } from '../async-answer';
import type { AdmittedRequest, Answer, GroupAOperation, Signed } from '../operation';
import { ORDER_REFUSALS, orderIntake, refusedOrder, type OrderIntakePorts } from '../order-intake';

export interface SalePorts extends OrderIntakePorts {
  readonly handler: TakePaymentHandler;
}

const customerOf = (message: SaleRequest): Customer => {
  const { first_name, last_name, cell_phone, state, ssn, birthday } = message;
  return {
    holder: message.card_printed_name,
    email: message.email,
    phone: message.phone,
    country: message.country,
    city: message.city,
    zipCode: message.zip_code,
    address1: message.address1,
    ...(first_name !== undefined && { firstName: first_name }),
    ...(last_name !== undefined && { lastName: last_name }),
    ...(cell_phone !== undefined && { cellPhone: cell_phone }),
    ...(state !== undefined && { state }),
    ...(ssn !== undefined && { ssn }),
    ...(birthday !== undefined && { birthday }),
  };
};

/** Initial payment (protocol decisions, section 10). */
export class SaleOperation implements GroupAOperation<SaleRequest> {
  readonly name = 'sale';
  readonly message = SaleRequest;
  readonly hasLogin = false;
  readonly hasAmount = true;

  constructor(private readonly ports: SalePorts) {}

  isSigned({ form, entryPointId, amountMinor }: Signed, key: ControlKey): boolean {
    const signed = { entryPoint: entryPointId, clientOrderId: form.text('client_orderid'), amountMinor, email: form.text('email') };
    return isControl(initialPaymentControl(signed, key), form.text('control'));
  }

  async perform(request: AdmittedRequest<SaleRequest>): Promise<Answer> {
    const { message, serial } = request;
    const intake = orderIntake(this.ports, { operation: 'sale', operationName: this.name }, request);
    const outcome = await this.ports.handler.handle({ card: cardOf(message), customer: customerOf(message), ...intake.order });
    if (outcome.reason === 'accepted') return asyncAnswer(serial, message.client_orderid, outcome.orderId, outcome.endpointId);
    return refusedOrder(ORDER_REFUSALS, outcome.reason, intake);
  }
}
