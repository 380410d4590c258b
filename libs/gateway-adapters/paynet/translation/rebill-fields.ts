import type { RebillRequest } from '../../contract';
import type { RebillFields } from '../wire/card-references';

/** A recurrent payment in the words of the interface (section 2.4), by the upstream gateway's own reference; scenario and initiator are handed through. */
export const rebillFields = (request: RebillRequest, cardRefId: string): RebillFields => {
  const { key, orderId, amount, cvv, texts, recurrent, notificationUrl } = request;
  const payer = texts?.payer.reveal() ?? {};
  const purchase = texts?.purchase.reveal() ?? {};
  return {
    clientOrderId: key,
    cardRefId,
    amount,
    description: purchase.description ?? purchase.purpose ?? `Order ${orderId}`,
    others: [
      ['cvv2', cvv?.reveal()],
      ['ipaddress', payer.ipAddress],
      ['comment', purchase.comment],
      ['purpose', purchase.purpose],
      ['server_callback_url', notificationUrl],
      ['recurrent_scenario', recurrent?.scenario],
      ['recurrent_initiator', recurrent?.initiator],
    ],
  };
};
