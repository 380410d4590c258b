import { Controller, Inject } from '@nestjs/common';
import { cardOf, type AccountVerificationRequest, type SaleRequest } from '@app/gateway-protocol';
import { firstEndpointOf, type OperationName } from '@app/configuration';
import type { Customer, Operation } from '@app/orders/domain';
import {
  type AdmittedRequest,
  type Answer,
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
import type { AcceptPaymentHandler } from '../application/accept-payment.handler';

export interface InitialPaymentPorts extends OrderIntakePorts {
  readonly handler: Pick<AcceptPaymentHandler, 'handle'>;
  readonly orders: ExistingOrders;
}

type InitialPaymentMessage = SaleRequest | AccountVerificationRequest;

const customerOf = (message: InitialPaymentMessage): Customer => {
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

class InitialPaymentTranslation<Message extends InitialPaymentMessage> implements KeyedTranslation<Message> {
  constructor(
    private readonly name: OperationName & Operation,
    private readonly ports: InitialPaymentPorts,
  ) {}

  async perform(request: AdmittedRequest<Message>): Promise<Answer> {
    const { message, entryPoint } = request;
    // An account verification has no currency that could choose an endpoint of a group (protocol decisions, D1.8).
    const currency = 'currency' in message ? message.currency : firstEndpointOf(entryPoint).currency;
    const intake = orderIntake(this.ports, { operation: this.name, operationName: this.name, currency }, request);
    const payment = { card: cardOf(message), customer: customerOf(message), ...intake.order };
    const outcome = await this.ports.handler.handle(payment);
    if (outcome.reason !== 'accepted') return refusedOrder(ORDER_REFUSALS, outcome.reason, intake);
    const { orderId, endpointId } = outcome;
    return { kind: 'accepted', clientOrderId: message.client_orderid, orderId, endpointId };
  }

  findExisting(request: AdmittedRequest<Message>): Promise<ExistingAnswer | undefined> {
    return findExistingOrder(this.ports.orders, 'payment', request);
  }
}

export class InitialPaymentTranslations {
  readonly sale: KeyedTranslation<SaleRequest>;
  readonly preauth: KeyedTranslation<SaleRequest>;
  readonly accountVerification: KeyedTranslation<AccountVerificationRequest>;

  constructor(ports: InitialPaymentPorts) {
    this.sale = new InitialPaymentTranslation('sale', ports);
    this.preauth = new InitialPaymentTranslation('preauth', ports);
    this.accountVerification = new InitialPaymentTranslation('account-verification', ports);
  }
}

@Controller('api')
export class PaymentController implements Serves<'sale' | 'preauth' | 'accountVerification'> {
  constructor(
    @Inject(InitialPaymentTranslations) private readonly translations: InitialPaymentTranslations,
    @Inject(IdempotencyKeys) private readonly idempotency: IdempotencyKeys,
  ) {}

  @GroupAOperation('sale')
  sale(@Admitted() request: AdmittedRequest<SaleRequest>): Promise<Answered> {
    return this.idempotency.perform(request, this.translations.sale);
  }

  @GroupAOperation('preauth')
  preauth(@Admitted() request: AdmittedRequest<SaleRequest>): Promise<Answered> {
    return this.idempotency.perform(request, this.translations.preauth);
  }

  @GroupAOperation('accountVerification')
  accountVerification(@Admitted() request: AdmittedRequest<AccountVerificationRequest>): Promise<Answered> {
    return this.idempotency.perform(request, this.translations.accountVerification);
  }
}
