import { isOrderId, type ClientOrderId } from '@app/kernel';
import type { RegisterCardHandler } from '@app/card-registration';
import {
  CREATE_CARD_REF_FIELDS,
  CreateCardRefRequest,
  inWireOrder,
  isControl,
  orderControl,
  type ControlKey,
  type CreateCardRefResponse,
} from '@app/gateway-protocol';
import { reasonText } from '../order-status/reason-text';
import { refused, type AdmittedRequest, type Answer, type GroupAOperation, type Signed } from '../operation';
import { isOffered } from '../served';

/** Card registration v2 (interface, section 2.2). */
export class CreateCardRefOperation implements GroupAOperation<CreateCardRefRequest> {
  readonly name = 'create-card-ref';
  readonly message = CreateCardRefRequest;
  readonly hasLogin = true;
  readonly hasAmount = false;

  constructor(private readonly handler: RegisterCardHandler) {}

  isSigned({ form }: Signed, key: ControlKey): boolean {
    const named = { login: form.text('login'), clientOrderId: form.text('client_orderid'), orderId: form.text('orderid') };
    return isControl(orderControl(named, key), form.text('control'));
  }

  async perform({ message, entryPoint, merchant, serial }: AdmittedRequest<CreateCardRefRequest>): Promise<Answer> {
    if (!isOffered(entryPoint, this.name)) return refused('operation-not-supported');
    const { client_orderid: clientOrderId, orderid: orderId } = message;
    if (!isOrderId(orderId)) return refused('unknown-order');
    const outcome = await this.handler.handle({ merchant: merchant.login, clientOrderId: clientOrderId as ClientOrderId, orderId, serial });
    if (outcome.reason === 'order-unknown') return refused('unknown-order');
    if (outcome.reason === 'order-not-final') return refused('order-not-final');
    const response: CreateCardRefResponse =
      outcome.reason === 'registered'
        ? { ...this.head(serial, 'approved', outcome.endpointId), 'card-ref-id': outcome.cardRefId, 'unq-card-ref-id': outcome.uid }
        : {
            ...this.head(serial, outcome.end.status, outcome.endpointId),
            'error-message': reasonText(outcome.end.code),
            'error-code': String(outcome.end.code),
          };
    return { kind: 'answer', pairs: inWireOrder(CREATE_CARD_REF_FIELDS, response) };
  }

  private head(serial: string, status: string, endpointId: string) {
    return { type: 'create-card-ref-response' as const, 'serial-number': serial, status, 'end-point-id': endpointId };
  }
}
