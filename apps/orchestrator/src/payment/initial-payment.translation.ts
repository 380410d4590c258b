import { cardOf, type AccountVerificationRequest, type SaleRequest } from '@app/gateway-protocol';
import { firstEndpointOf, type OperationName } from '@app/configuration';
import type { OrderRefused, OrderAcceptedAnswer } from '@app/order-processing';
import type { AcceptanceRejection, Customer, Operation } from '@app/order-processing/domain';
import type { PaymentRequest } from '@app/payment';
import type { AdmittedRequest } from '../merchant-api/admitted-request';
import type { Answer } from '../merchant-api/answers/answer';
import type { ExistingAnswer, KeyedTranslation } from '../merchant-api/translation';
import { ORDER_REFUSALS, orderIntake, refusedOrder, type OrderIntakePorts } from '../merchant-api/orders/order-intake';
import { existingOrder, type ExistingOrders } from '../merchant-api/orders/existing-order';

/** Takes payments of every operation in; the context's handler. */
export interface TakesPayments {
  handle(request: PaymentRequest): Promise<OrderAcceptedAnswer | OrderRefused<AcceptanceRejection>>;
}

export interface InitialPaymentPorts extends OrderIntakePorts {
  readonly handler: TakesPayments;
  readonly orders: ExistingOrders;
}

type Initial = SaleRequest | AccountVerificationRequest;

const customerOf = (message: Initial): Customer => {
  const { first_name, last_name, phone, cell_phone, state, ssn, birthday } = message;
  return {
    holder: message.card_printed_name,
    email: message.email,
    country: message.country,
    city: message.city,
    zipCode: message.zip_code,
    address1: message.address1,
    ...(phone !== undefined && { phone }),
    ...(first_name !== undefined && { firstName: first_name }),
    ...(last_name !== undefined && { lastName: last_name }),
    ...(cell_phone !== undefined && { cellPhone: cell_phone }),
    ...(state !== undefined && { state }),
    ...(ssn !== undefined && { ssn }),
    ...(birthday !== undefined && { birthday }),
  };
};

/** One of sale, preauth and account verification: an order that brings its card (protocol decisions, section 10). */
class InitialPayment<Message extends Initial> implements KeyedTranslation<Message> {
  constructor(
    /** The same word on the wire and in the plan of an order. */
    private readonly name: OperationName & Operation,
    private readonly ports: InitialPaymentPorts,
  ) {}

  async perform(request: AdmittedRequest<Message>): Promise<Answer> {
    const { message, entryPoint } = request;
    // Account verification has no currency: the first endpoint listed serves it (protocol decisions, section 1).
    const currency = 'currency' in message ? message.currency : firstEndpointOf(entryPoint).currency;
    const intake = orderIntake(this.ports, { operation: this.name, operationName: this.name, currency }, request);
    const payment = { card: cardOf(message), customer: customerOf(message), ...intake.order };
    const outcome = await this.ports.handler.handle(payment);
    if (outcome.reason !== 'accepted') return refusedOrder(ORDER_REFUSALS, outcome.reason, intake);
    const { orderId, endpointId } = outcome;
    return { kind: 'accepted', clientOrderId: message.client_orderid, orderId, endpointId };
  }

  existing(request: AdmittedRequest<Message>): Promise<ExistingAnswer | undefined> {
    return existingOrder(this.ports.orders, 'payment', request);
  }
}

/** Each of them by its own name. */
export class InitialPayments {
  readonly sale: KeyedTranslation<SaleRequest>;
  readonly preauth: KeyedTranslation<SaleRequest>;
  readonly accountVerification: KeyedTranslation<AccountVerificationRequest>;

  constructor(ports: InitialPaymentPorts) {
    this.sale = new InitialPayment('sale', ports);
    this.preauth = new InitialPayment('preauth', ports);
    this.accountVerification = new InitialPayment('account-verification', ports);
  }
}
