import { isCardRefId } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import type { IssuedReferences } from '@app/card-registration';
import {
  cardInfoControl,
  GET_CARD_INFO_FIELDS,
  GetCardInfoRequest,
  inWireOrder,
  isControl,
  type GetCardInfoResponse,
} from '@app/gateway-protocol';
import { SEALED_FIELDS, unpackTexts } from '@app/order-processing/domain';
import { refused, type AdmittedRequest, type Answer, type ControlProof, type GroupAOperation } from '../operation';
import { isOffered } from '../served';

/** Card details by reference (interface, section 2.3): never more of the number than its first six and last four digits. */
export class GetCardInfoOperation implements GroupAOperation<GetCardInfoRequest> {
  readonly name = 'get-card-info';
  readonly message = GetCardInfoRequest;
  readonly amount = 'none';
  readonly proof: ControlProof = {
    kind: 'control',
    hasLogin: true,
    isSigned: ({ form }, key) =>
      isControl(cardInfoControl({ login: form.text('login'), cardRefId: form.text('cardrefid') }, key), form.text('control')),
  };

  constructor(
    private readonly references: IssuedReferences,
    private readonly sealer: OrderSealer,
  ) {}

  async perform({ message, entryPoint, merchant, serial, deadline }: AdmittedRequest<GetCardInfoRequest>): Promise<Answer> {
    if (!isOffered(entryPoint, this.name)) return refused('operation-not-supported');
    const { cardrefid } = message;
    const reference = isCardRefId(cardrefid) ? await this.references.find(merchant.login, cardrefid, deadline) : undefined;
    if (reference === undefined) return refused('unknown-card-reference');
    const { face } = reference.card;
    const { expiryMonth, expiryYear } = face;
    const customer = await this.sealer.unseal(merchant.login, SEALED_FIELDS.customer, reference.customer, deadline);
    const response: GetCardInfoResponse = {
      type: 'get-card-info-response',
      'serial-number': serial,
      // The customer is who paid: of a card that only ever received nobody told the holder.
      'card-printed-name': customer === undefined || expiryYear === undefined ? undefined : unpackTexts(customer).get('holder'),
      'expire-year': expiryYear?.toString(),
      'expire-month': expiryMonth?.toString().padStart(2, '0'),
      bin: face.bin,
      'last-four-digits': face.lastFour,
    };
    return { kind: 'answer', pairs: inWireOrder(GET_CARD_INFO_FIELDS, response) };
  }
}
