import { type Card, Secret } from '@app/kernel';
import type { InitialOrderRequest } from './initial-order.request';

/** The card of a validated message, in the only form in which it travels on (safety, section 5.1). The CVV is not part of it. */
export const cardOf = (
  request: Pick<InitialOrderRequest, 'credit_card_number' | 'expire_month' | 'expire_year' | 'card_printed_name'>,
): Secret<Card> =>
  new Secret({
    number: request.credit_card_number,
    expiryMonth: Number(request.expire_month),
    expiryYear: Number(request.expire_year),
    holder: request.card_printed_name,
  });
