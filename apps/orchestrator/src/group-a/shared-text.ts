import { isCardRefId, isOrderNumber, ORDER_NUMBER_LENGTH, type ClientOrderId, type Deadline, type MerchantLogin } from '@app/kernel';
import { trimmed, type AmountSigned, type OrderNamed, type RebillSigned } from '@app/gateway-protocol';
import type { ExistingOrders } from './existing-order';

/**
 * What a recurrent payment signs without the entry point (login, client_orderid, cardrefid, amount, currency) is what a follow-up with an amount signs
 * of an order that has a number (login, client_orderid, orderid, amount, currency), where that order's client_orderid is the other's with the card
 * reference behind it, and the amount of the one is number and amount of the other. Only who has both orders can tell whose checksum it is. Values may
 * be signed with white space at their ends, and orders are kept without it.
 */

/** A number and one digit of an amount, in minor units: a recurrent payment of less reads as nothing else. */
export const MAY_BE_FOLLOW_UP_FROM = 10n ** BigInt(ORDER_NUMBER_LENGTH);
const CARD_REF_LENGTH = 20;
/** Of an amount, in minor units. */
const AMOUNT_DIGITS_MAX = 12;

/** Whether what was signed for a recurrent payment is a follow-up of an order that there is. */
export const isRebillOfFollowUp = async (
  orders: Pick<ExistingOrders, 'find'>,
  { login, clientOrderId, cardRefId, amountMinor }: RebillSigned,
  deadline?: Deadline,
): Promise<boolean> => {
  const digits = amountMinor.toString();
  const orderId = digits.slice(0, ORDER_NUMBER_LENGTH);
  if (!isOrderNumber(orderId) || !/^[1-9]/.test(digits.slice(ORDER_NUMBER_LENGTH))) return false;
  const followed = await orders.find(
    trimmed(login) as MerchantLogin,
    trimmed(clientOrderId + cardRefId) as ClientOrderId,
    orderId,
    deadline,
  );
  return followed !== undefined;
};

/** Whether what was signed for a follow-up is a recurrent payment that there is. */
export const isFollowUpOfRebill = async (
  orders: Pick<ExistingOrders, 'findOfKind'>,
  { login, clientOrderId, orderId }: OrderNamed,
  { amountMinor }: AmountSigned,
  deadline?: Deadline,
): Promise<boolean> => {
  const digits = orderId + amountMinor.toString();
  const whole = trimmed(clientOrderId);
  if (!isOrderNumber(orderId) || digits.length > AMOUNT_DIGITS_MAX || !isCardRefId(whole.slice(-CARD_REF_LENGTH))) return false;
  const rebilled = trimmed(whole.slice(0, -CARD_REF_LENGTH)) as ClientOrderId;
  const order = rebilled === '' ? undefined : await orders.findOfKind('recurring', trimmed(login) as MerchantLogin, rebilled, deadline);
  return order?.initialAmountMinor === digits;
};
