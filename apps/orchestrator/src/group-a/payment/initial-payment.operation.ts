import {
  AccountVerificationRequest,
  accountVerificationControl,
  cardOf,
  initialPaymentControl,
  isControl,
  SaleRequest,
} from '@app/gateway-protocol';
import { firstEndpointOf, type OperationName } from '@app/configuration';
import type { OrderRefused, OrderAcceptedAnswer } from '@app/order-processing';
import type { AcceptanceRejection, Customer, Operation } from '@app/order-processing/domain';
import type { PaymentRequest } from '@app/payment';
import type { AdmittedRequest, Answer, ControlProof, GroupAOperation, ExistingAnswer } from '../operation';
import { ORDER_REFUSALS, orderIntake, refusedOrder, type OrderIntakePorts } from '../order-intake';
import { existingOrder, type ExistingOrders } from '../existing-order';

/** Takes payments of every operation in; the context's handler. */
export interface TakesPayments {
  handle(request: PaymentRequest): Promise<OrderAcceptedAnswer | OrderRefused<AcceptanceRejection>>;
}

export interface InitialPaymentPorts extends OrderIntakePorts {
  readonly handler: TakesPayments;
  readonly orders: ExistingOrders;
}

/** What tells the initial payments apart. */
interface InitialPayment<Message extends object> {
  /** The same word on the wire and in the plan of an order. */
  readonly name: OperationName & Operation;
  readonly message: new () => Message;
  readonly proof: ControlProof;
  readonly amount: 'none' | 'required';
}

type Initial = SaleRequest | AccountVerificationRequest;

const WITH_AMOUNT: ControlProof = {
  kind: 'control',
  hasLogin: false,
  isSigned: ({ form, entryPointId, amountMinor }, key) => {
    const signed = { entryPoint: entryPointId, clientOrderId: form.text('client_orderid'), amountMinor, email: form.text('email') };
    return isControl(initialPaymentControl(signed, key), form.text('control'));
  },
};

const WITHOUT_AMOUNT: ControlProof = {
  kind: 'control',
  hasLogin: false,
  isSigned: ({ form, entryPointId }, key) => {
    const signed = { entryPoint: entryPointId, clientOrderId: form.text('client_orderid'), email: form.text('email') };
    return isControl(accountVerificationControl(signed, key), form.text('control'));
  },
};

export const SALE: InitialPayment<SaleRequest> = { name: 'sale', message: SaleRequest, proof: WITH_AMOUNT, amount: 'required' };
export const PREAUTH: InitialPayment<SaleRequest> = { ...SALE, name: 'preauth' };
export const ACCOUNT_VERIFICATION: InitialPayment<AccountVerificationRequest> = {
  name: 'account-verification',
  message: AccountVerificationRequest,
  proof: WITHOUT_AMOUNT,
  amount: 'none',
};

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

/** Sale, preauth and account verification: an order that brings its card (protocol decisions, section 10). */
export class InitialPaymentOperation<Message extends Initial> implements GroupAOperation<Message> {
  readonly name;
  readonly message;
  readonly proof;
  readonly amount;

  constructor(
    { name, message, proof, amount }: InitialPayment<Message>,
    private readonly ports: InitialPaymentPorts,
  ) {
    this.name = name;
    this.message = message;
    this.proof = proof;
    this.amount = amount;
  }

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
