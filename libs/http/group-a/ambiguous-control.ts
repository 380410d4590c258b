import { isCardRefId, isOrderNumber, ORDER_NUMBER_LENGTH, type ClientOrderId, type Deadline, type MerchantLogin } from '@app/kernel';
import { trimmed, type AmountSigned, type OrderNamed, type RebillSigned } from '@app/gateway-protocol';
import type { ExistingOrders } from './existing-order';

/**
 * One checksum can fit two requests (safety, section 3.1). A recurrent payment signs login, client_orderid, cardrefid, amount and currency without
 * separators; a follow-up signs login, client_orderid, orderid, amount and currency. Both texts are equal where the follow-up's client_orderid ends with
 * the card reference, and the recurrent payment's amount begins with the order number. So a checksum for one is refused for the other where the other's
 * order exists. Values may have been signed with white space at their ends, and orders are stored without it.
 */

/** In minor units: an order number and one digit of an amount. The control of a smaller recurrent payment fits no follow-up. */
export const AMBIGUOUS_FROM_MINOR = 10n ** BigInt(ORDER_NUMBER_LENGTH);
const CARD_REF_LENGTH = 20;
const AMOUNT_DIGITS_MAX = 12;

/** Whether the control of this recurrent payment is also that of a follow-up of an existing order. */
export const matchesExistingFollowUp = async (
  orders: Pick<ExistingOrders, 'find'>,
  { login, clientOrderId, cardRefId, amountMinor }: RebillSigned,
  deadline?: Deadline,
): Promise<boolean> => {
  const digits = amountMinor.toString();
  const orderId = digits.slice(0, ORDER_NUMBER_LENGTH);
  if (!isOrderNumber(orderId) || !/^[1-9]/.test(digits.slice(ORDER_NUMBER_LENGTH))) return false;
  const order = await orders.find(trimmed(login) as MerchantLogin, trimmed(clientOrderId + cardRefId) as ClientOrderId, orderId, deadline);
  return order !== undefined;
};

/** Whether the control of this follow-up is also that of an existing recurrent payment. */
export const matchesExistingRebill = async (
  orders: Pick<ExistingOrders, 'findOfKind'>,
  { login, clientOrderId, orderId }: OrderNamed,
  { amountMinor }: AmountSigned,
  deadline?: Deadline,
): Promise<boolean> => {
  const digits = orderId + amountMinor.toString();
  const joined = trimmed(clientOrderId);
  if (!isOrderNumber(orderId) || digits.length > AMOUNT_DIGITS_MAX || !isCardRefId(joined.slice(-CARD_REF_LENGTH))) return false;
  const rebilled = trimmed(joined.slice(0, -CARD_REF_LENGTH)) as ClientOrderId;
  const order = rebilled === '' ? undefined : await orders.findOfKind('recurring', trimmed(login) as MerchantLogin, rebilled, deadline);
  return order?.initialAmountMinor === digits;
};
