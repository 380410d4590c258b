import type { VerifyRequest } from '../../contract';
import type { InitialFields } from '../wire/operations';

/**
 * A charge in the words of the interface (protocol decisions, section 10). The upstream gateway knows the order by the attempt's key: it takes one
 * client_orderid once, and by it alone it can be asked when its answer was lost. What the merchant did not say is left out, for the upstream gateway to
 * refuse or to do without.
 */
export const initialFields = (request: VerifyRequest): InitialFields => {
  const { key, orderId, card: secret, cvv, texts, payerReturnUrl, notificationUrl } = request;
  const card = secret.reveal();
  const payer = texts?.payer.reveal() ?? {};
  const purchase = texts?.purchase.reveal() ?? {};
  return {
    clientOrderId: key,
    email: payer.email,
    others: [
      ['order_desc', purchase.description ?? purchase.purpose ?? `Order ${orderId}`],
      ['first_name', payer.firstName],
      ['last_name', payer.lastName],
      ['card_printed_name', card.holder],
      ['credit_card_number', card.number],
      ['expire_month', String(card.expiryMonth).padStart(2, '0')],
      ['expire_year', String(card.expiryYear)],
      ['cvv2', cvv?.reveal()],
      ['address1', payer.address1],
      ['city', payer.city],
      ['zip_code', payer.zipCode],
      ['country', payer.country],
      ['state', payer.state],
      ['phone', payer.phone],
      ['cell_phone', payer.cellPhone],
      ['ipaddress', payer.ipAddress],
      ['ssn', payer.ssn],
      ['birthday', payer.birthday],
      ['site_url', purchase.siteUrl],
      ['purpose', purchase.purpose],
      ['redirect_url', payerReturnUrl],
      ['server_callback_url', notificationUrl],
      // Hears what is done to the order later, which the other one does not.
      ['notify_url', notificationUrl],
    ],
  };
};
