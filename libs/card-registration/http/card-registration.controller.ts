import { Controller, Inject } from '@nestjs/common';
import { isOrderId, type ClientOrderId, isCardRefId } from '@app/kernel';
import {
  CREATE_CARD_REF_FIELDS,
  CREATE_CARD_REF_V4_FIELDS,
  inWireOrder,
  type CreateCardRefRequest,
  type CreateCardRefResponse,
  type CreateCardRefV4Request,
  type CreateCardRefV4Response,
  GET_CARD_INFO_FIELDS,
  type GetCardInfoRequest,
  type GetCardInfoResponse,
} from '@app/gateway-protocol';
import { reasonText, SEALED_FIELDS } from '@app/orders/domain';
import { type AdmittedRequest, refused, type Answer, type Translation, Admitted, GroupAOperation, type Serves } from '@app/http/group-a';
import { isOffered } from '@app/orders/http';
import type { OrderSealer } from '@app/card-vault';
import { orderTexts } from '@app/orders';
import type { CardRegistered, RegisterCardHandler, RegistrationRefused } from '../application/register-card.handler';
import type { IssuedReferences } from '../application/issued-references';

type Message = CreateCardRefRequest | CreateCardRefV4Request;
type CommonFields = Pick<CreateCardRefResponse, 'type' | 'serial-number' | 'status' | 'end-point-id' | 'error-message' | 'error-code'>;
type OrderNotApproved = Extract<RegistrationRefused, { readonly reason: 'order-not-approved' }>;

/** The two versions differ in their references and field names (interface, section 2.2). */
interface Version {
  readonly withDestination: boolean;
  readonly pairs: (common: CommonFields, registered?: CardRegistered) => readonly (readonly [string, string])[];
}

const CREATE_CARD_REF_V2: Version = {
  withDestination: false,
  pairs: (common, registered) => {
    const response: CreateCardRefResponse = { ...common, 'card-ref-id': registered?.cardRefId, 'unq-card-ref-id': registered?.uid };
    return inWireOrder(CREATE_CARD_REF_FIELDS, response);
  },
};

const CREATE_CARD_REF_V4: Version = {
  withDestination: true,
  pairs: (common, registered) => {
    const source = registered?.cardRefId;
    const destination = registered?.destinationCardRefId;
    const response: CreateCardRefV4Response = {
      ...common,
      'card-ref-id': source,
      card_recurring_payment_id: source,
      'recurring-payment-id': source,
      destination_card_recurring_payment_id: destination,
      'dst-card-ref-id': destination,
    };
    return inWireOrder(CREATE_CARD_REF_V4_FIELDS, response);
  },
};

class CreateCardRefTranslation<VersionMessage extends Message> implements Translation<VersionMessage> {
  constructor(
    private readonly version: Version,
    private readonly handler: RegisterCardHandler,
  ) {}

  async perform({
    operation,
    message,
    entryPoint,
    merchant,
    serial,
    callerTrace,
    deadline,
  }: AdmittedRequest<VersionMessage>): Promise<Answer> {
    if (!isOffered(entryPoint, operation)) return refused('operation-not-supported');
    const { client_orderid, orderid: orderId } = message;
    if (!isOrderId(orderId)) return refused('unknown-order');
    const { withDestination, pairs } = this.version;
    const clientOrderId = client_orderid as ClientOrderId;
    const command = { merchant: merchant.login, clientOrderId, orderId, withDestination, serial, callerTrace, deadline };
    const outcome = await this.handler.handle(command);
    if (outcome.reason === 'order-unknown') return refused('unknown-order');
    if (outcome.reason === 'card-shredded') return refused('unknown-card-reference');
    if (outcome.reason === 'order-not-final') return refused('order-not-final');
    if (outcome.reason === 'order-not-approved') return { kind: 'answer', pairs: pairs(notApprovedFields(serial, outcome)) };
    return { kind: 'answer', pairs: pairs(commonFields(serial, 'approved', outcome.endpointId), outcome) };
  }
}

export class CreateCardRefTranslations {
  readonly createCardRef: Translation<CreateCardRefRequest>;
  readonly createCardRefV4: Translation<CreateCardRefV4Request>;

  constructor(handler: RegisterCardHandler) {
    this.createCardRef = new CreateCardRefTranslation(CREATE_CARD_REF_V2, handler);
    this.createCardRefV4 = new CreateCardRefTranslation(CREATE_CARD_REF_V4, handler);
  }
}

const commonFields = (serial: string, status: string, endpointId: string): CommonFields => ({
  type: 'create-card-ref-response',
  'serial-number': serial,
  status,
  'end-point-id': endpointId,
});

const notApprovedFields = (serial: string, { end, endpointId }: OrderNotApproved): CommonFields => ({
  ...commonFields(serial, end.status, endpointId),
  'error-message': reasonText(end.code),
  'error-code': String(end.code),
});

/** Shows at most the number's first six and last four digits (interface, section 2.3). */
export class GetCardInfoTranslation implements Translation<GetCardInfoRequest> {
  constructor(
    private readonly references: IssuedReferences,
    private readonly sealer: OrderSealer,
  ) {}

  async perform({ operation, message, entryPoint, merchant, serial, deadline }: AdmittedRequest<GetCardInfoRequest>): Promise<Answer> {
    if (!isOffered(entryPoint, operation)) return refused('operation-not-supported');
    const { cardrefid } = message;
    const reference = isCardRefId(cardrefid) ? await this.references.find(merchant.login, cardrefid, deadline) : undefined;
    if (reference === undefined) return refused('unknown-card-reference');
    const { face: maskedCard } = reference.card;
    const { expiryMonth, expiryYear } = maskedCard;
    const customer = await orderTexts(this.sealer, {
      merchant: merchant.login,
      field: SEALED_FIELDS.customer,
      sealed: reference.customer,
      deadline,
    });
    const response: GetCardInfoResponse = {
      type: 'get-card-info-response',
      'serial-number': serial,
      // A card without an expiry date only received money, and its holder is unknown.
      'card-printed-name': expiryYear === undefined ? undefined : customer.get('holder'),
      'expire-year': expiryYear?.toString(),
      'expire-month': expiryMonth?.toString().padStart(2, '0'),
      bin: maskedCard.bin,
      'last-four-digits': maskedCard.lastFour,
    };
    return { kind: 'answer', pairs: inWireOrder(GET_CARD_INFO_FIELDS, response) };
  }
}

@Controller('api')
export class CardRegistrationController implements Serves<'createCardRef' | 'createCardRefV4' | 'getCardInfo'> {
  constructor(
    @Inject(CreateCardRefTranslations) private readonly registrations: CreateCardRefTranslations,
    @Inject(GetCardInfoTranslation) private readonly cardDetails: GetCardInfoTranslation,
  ) {}

  @GroupAOperation('createCardRef')
  createCardRef(@Admitted() request: AdmittedRequest<CreateCardRefRequest>): Promise<Answer> {
    return this.registrations.createCardRef.perform(request);
  }

  @GroupAOperation('createCardRefV4')
  createCardRefV4(@Admitted() request: AdmittedRequest<CreateCardRefV4Request>): Promise<Answer> {
    return this.registrations.createCardRefV4.perform(request);
  }

  @GroupAOperation('getCardInfo')
  getCardInfo(@Admitted() request: AdmittedRequest<GetCardInfoRequest>): Promise<Answer> {
    return this.cardDetails.perform(request);
  }
}
