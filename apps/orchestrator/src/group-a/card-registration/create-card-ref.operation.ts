import { isOrderId, type ClientOrderId } from '@app/kernel';
import type { CardRegistered, RegisterCardHandler, RegistrationRefused } from '@app/card-registration';
import {
  CREATE_CARD_REF_FIELDS,
  CREATE_CARD_REF_V4_FIELDS,
  CreateCardRefRequest,
  CreateCardRefV4Request,
  inWireOrder,
  type CreateCardRefResponse,
  type CreateCardRefV4Response,
} from '@app/gateway-protocol';
import { ORDER_PROOF } from '../order-proof';
import { reasonText } from '@app/order-queries';
import { OAUTH_PROOF, refused, type AdmittedRequest, type Answer, type GroupAOperation, type Proof } from '../operation';
import { isOffered } from '../served';

type Message = CreateCardRefRequest | CreateCardRefV4Request;
type Head = Pick<CreateCardRefResponse, 'type' | 'serial-number' | 'status' | 'end-point-id' | 'error-message' | 'error-code'>;
type Ended = Extract<RegistrationRefused, { readonly reason: 'order-not-approved' }>;

/** What tells the two versions apart (interface, section 2.2). */
interface Version<Asked extends Message> {
  readonly message: new () => Asked;
  readonly proof: Proof;
  /** The card as one to send money to, too. */
  readonly withDestination: boolean;
  readonly pairs: (head: Head, registered?: CardRegistered) => readonly (readonly [string, string])[];
}

export const CREATE_CARD_REF_V2: Version<CreateCardRefRequest> = {
  message: CreateCardRefRequest,
  proof: ORDER_PROOF,
  withDestination: false,
  pairs: (head, registered) => {
    const response: CreateCardRefResponse = { ...head, 'card-ref-id': registered?.cardRefId, 'unq-card-ref-id': registered?.uid };
    return inWireOrder(CREATE_CARD_REF_FIELDS, response);
  },
};

export const CREATE_CARD_REF_V4: Version<CreateCardRefV4Request> = {
  message: CreateCardRefV4Request,
  proof: OAUTH_PROOF,
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

/** Card registration (interface, section 2.2). */
export class CreateCardRefOperation<Asked extends Message> implements GroupAOperation<Asked> {
  readonly name = 'create-card-ref';
  readonly amount = 'none';
  readonly message;
  readonly proof;

  constructor(
    private readonly version: Version<Asked>,
    private readonly handler: RegisterCardHandler,
  ) {
    this.message = version.message;
    this.proof = version.proof;
  }

  async perform({ message, entryPoint, merchant, serial, callerTrace, deadline }: AdmittedRequest<Asked>): Promise<Answer> {
    if (!isOffered(entryPoint, this.name)) return refused('operation-not-supported');
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
