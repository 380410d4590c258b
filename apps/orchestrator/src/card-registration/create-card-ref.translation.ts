import { isOrderId, type ClientOrderId } from '@app/kernel';
import type { CardRegistered, RegisterCardHandler, RegistrationRefused } from '@app/card-registration';
import {
  CREATE_CARD_REF_FIELDS,
  CREATE_CARD_REF_V4_FIELDS,
  inWireOrder,
  type CreateCardRefRequest,
  type CreateCardRefResponse,
  type CreateCardRefV4Request,
  type CreateCardRefV4Response,
} from '@app/gateway-protocol';
import { reasonText } from '@app/order-queries';
import type { AdmittedRequest } from '../merchant-api/admitted-request';
import { refused, type Answer } from '../merchant-api/answers/answer';
import type { Translation } from '../merchant-api/translation';
import { isOffered } from '../merchant-api/orders/offered-operation';

type Message = CreateCardRefRequest | CreateCardRefV4Request;
type Head = Pick<CreateCardRefResponse, 'type' | 'serial-number' | 'status' | 'end-point-id' | 'error-message' | 'error-code'>;
type Ended = Extract<RegistrationRefused, { readonly reason: 'order-not-approved' }>;

/** What tells the two versions apart (interface, section 2.2). */
interface Version {
  /** The card as one to send money to, too. */
  readonly withDestination: boolean;
  readonly pairs: (head: Head, registered?: CardRegistered) => readonly (readonly [string, string])[];
}

const CREATE_CARD_REF_V2: Version = {
  withDestination: false,
  pairs: (head, registered) => {
    const response: CreateCardRefResponse = { ...head, 'card-ref-id': registered?.cardRefId, 'unq-card-ref-id': registered?.uid };
    return inWireOrder(CREATE_CARD_REF_FIELDS, response);
  },
};

const CREATE_CARD_REF_V4: Version = {
  withDestination: true,
  pairs: (head, registered) => {
    const source = registered?.cardRefId;
    const destination = registered?.destinationCardRefId;
    const response: CreateCardRefV4Response = {
      ...head,
      'card-ref-id': source,
      card_recurring_payment_id: source,
      'recurring-payment-id': source,
      destination_card_recurring_payment_id: destination,
      'dst-card-ref-id': destination,
    };
    return inWireOrder(CREATE_CARD_REF_V4_FIELDS, response);
  },
};

/** Card registration in one of its versions (interface, section 2.2). */
class CreateCardRef<Asked extends Message> implements Translation<Asked> {
  constructor(
    private readonly version: Version,
    private readonly handler: RegisterCardHandler,
  ) {}

  async perform({ operation, message, entryPoint, merchant, serial, callerTrace, deadline }: AdmittedRequest<Asked>): Promise<Answer> {
    if (!isOffered(entryPoint, operation)) return refused('operation-not-supported');
    const { client_orderid, orderid: orderId } = message;
    if (!isOrderId(orderId)) return refused('unknown-order');
    const { withDestination, pairs } = this.version;
    const clientOrderId = client_orderid as ClientOrderId;
    const asked = { merchant: merchant.login, clientOrderId, orderId, withDestination, serial, callerTrace, deadline };
    const outcome = await this.handler.handle(asked);
    if (outcome.reason === 'order-unknown') return refused('unknown-order');
    if (outcome.reason === 'order-not-final') return refused('order-not-final');
    if (outcome.reason === 'order-not-approved') return { kind: 'answer', pairs: pairs(endedHead(serial, outcome)) };
    return { kind: 'answer', pairs: pairs(headOf(serial, 'approved', outcome.endpointId), outcome) };
  }
}

/** Each version by its own name. */
export class CardReferences {
  readonly createCardRef: Translation<CreateCardRefRequest>;
  readonly createCardRefV4: Translation<CreateCardRefV4Request>;

  constructor(handler: RegisterCardHandler) {
    this.createCardRef = new CreateCardRef(CREATE_CARD_REF_V2, handler);
    this.createCardRefV4 = new CreateCardRef(CREATE_CARD_REF_V4, handler);
  }
}

const headOf = (serial: string, status: string, endpointId: string): Head => ({
  type: 'create-card-ref-response',
  'serial-number': serial,
  status,
  'end-point-id': endpointId,
});

const endedHead = (serial: string, { end, endpointId }: Ended): Head => ({
  ...headOf(serial, end.status, endpointId),
  'error-message': reasonText(end.code),
  'error-code': String(end.code),
});
