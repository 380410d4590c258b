import { isCardRefId } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import { GET_CARD_INFO_FIELDS, inWireOrder, type GetCardInfoRequest, type GetCardInfoResponse } from '@app/gateway-protocol';
import { orderTexts } from '@app/orders';
import { SEALED_FIELDS } from '@app/orders/domain';
import { type AdmittedRequest, refused, type Answer, type Translation } from '@app/http/group-a';
import { isOffered } from '@app/orders/http';
import type { IssuedReferences } from '../application/issued-references';

/** Card details by reference, which show no more of the number than its first six and last four digits (interface, section 2.3). */
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
      // The customer is the payer; a card without an expiry date only received money, and its holder is not known.
      'card-printed-name': expiryYear === undefined ? undefined : customer.get('holder'),
      'expire-year': expiryYear?.toString(),
      'expire-month': expiryMonth?.toString().padStart(2, '0'),
      bin: maskedCard.bin,
      'last-four-digits': maskedCard.lastFour,
    };
    return { kind: 'answer', pairs: inWireOrder(GET_CARD_INFO_FIELDS, response) };
  }
}
