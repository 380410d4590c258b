import {
  isOrderId,
  type ClientOrderId,
  type Deadline,
  type MerchantLogin,
  isCardRefId,
  isOrderNumber,
  ORDER_NUMBER_LENGTH,
} from '@app/kernel';
import type { Merchant } from '@app/configuration';
import {
  accountVerificationControl,
  amountFollowUpControl,
  cardInfoControl,
  initialPaymentControl,
  isControl,
  isRebillControl,
  orderControl,
  rebillControl,
  trimmed,
  type ControlKey,
  type OrderNamed,
  type SignedFields,
  type SignedText,
  type AmountSigned,
  type RebillSigned,
} from '@app/gateway-protocol';
import type { ExistingOrders } from './translation';

/**
 * One checksum can fit two requests (safety, section 3.1), because values are signed without separators. A follow-up
 * whose client_orderid ends with a card reference can equal a recurrent payment whose amount begins with an order
 * number. Each is refused if the order of the other exists.
 */

/** In minor units: an order number and one more digit. A smaller recurrent payment cannot match a follow-up. */
export const AMBIGUOUS_FROM_MINOR = 10n ** BigInt(ORDER_NUMBER_LENGTH);
const CARD_REF_LENGTH = 20;
const AMOUNT_DIGITS_MAX = 12;

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

/** Input of a checksum, which is verified before field validation. */
export interface Signed {
  readonly form: SignedFields;
  readonly entryPointId: string;
  readonly amountMinor: bigint;
  readonly rebillControl: Merchant['rebillControl'];
  readonly deadline?: Deadline | undefined;
}

type Check = (signed: Signed, key: ControlKey) => boolean | Promise<boolean>;

const orderIn = ({ form }: Signed): OrderNamed => ({
  login: form.text('login'),
  clientOrderId: form.text('client_orderid'),
  orderId: form.text('orderid'),
});
const sentIn = ({ form }: Signed): string => form.text('control');
const isOrderSigned: Check = (signed, key) => isControl(orderControl(orderIn(signed), key), sentIn(signed));

/** Verifies checksums under the merchant's control key (interface, section 5.1; protocol decisions, D5.1 to D5.3). */
export class ControlVerifier {
  readonly #checks: Readonly<Record<SignedText, Check>> = {
    'initial-payment': ({ form, entryPointId, amountMinor }, key) => {
      const signed = { entryPoint: entryPointId, clientOrderId: form.text('client_orderid'), amountMinor, email: form.text('email') };
      return isControl(initialPaymentControl(signed, key), form.text('control'));
    },
    'account-verification': ({ form, entryPointId }, key) => {
      const signed = { entryPoint: entryPointId, clientOrderId: form.text('client_orderid'), email: form.text('email') };
      return isControl(accountVerificationControl(signed, key), form.text('control'));
    },
    card: ({ form }, key) =>
      isControl(cardInfoControl({ login: form.text('login'), cardRefId: form.text('cardrefid') }, key), form.text('control')),
    order: isOrderSigned,
    rebill: (signed, key) => this.isRebill(signed, key),
    'follow-up': async (signed, key) => (hasAmount(signed) ? this.isAmountFollowUp(signed, key) : isOrderSigned(signed, key)),
    capture: async (signed, key) => {
      if (hasAmount(signed)) return this.isAmountFollowUp(signed, key);
      return (await isOrderSigned(signed, key)) || this.isCaptureInFull(signed, key);
    },
  };

  constructor(private readonly orders: ExistingOrders) {}

  isSigned(text: SignedText, signed: Signed, key: ControlKey): boolean | Promise<boolean> {
    return this.#checks[text](signed, key);
  }

  private isRebill(
    { form, entryPointId, amountMinor, rebillControl: accepted, deadline }: Signed,
    key: ControlKey,
  ): boolean | Promise<boolean> {
    const signed = {
      entryPoint: entryPointId,
      login: form.text('login'),
      clientOrderId: form.text('client_orderid'),
      cardRefId: form.text('cardrefid'),
      amountMinor,
      currency: form.text('currency'),
    };
    const sent = form.text('control');
    const isSigned = isRebillControl(signed, sent, key, accepted);
    if (!isSigned || amountMinor < AMBIGUOUS_FROM_MINOR || isControl(rebillControl(signed, key, 'with-endpoint'), sent)) return isSigned;
    return matchesExistingFollowUp(this.orders, signed, deadline).then((isOther) => !isOther);
  }

  private async isAmountFollowUp(signed: Signed, key: ControlKey): Promise<boolean> {
    const named = orderIn(signed);
    const amount = { amountMinor: signed.amountMinor, currency: signed.form.text('currency') };
    const isSigned = isControl(amountFollowUpControl(named, amount, key), sentIn(signed));
    return isSigned && !(await matchesExistingRebill(this.orders, named, amount, signed.deadline));
  }

  /**
   * Some clients sign a full capture with the order's amount and currency, but send neither (protocol decisions, D5.2).
   */
  private async isCaptureInFull(signed: Signed, key: ControlKey): Promise<boolean> {
    const named = orderIn(signed);
    const [login, clientOrderId, orderId] = [named.login, named.clientOrderId, named.orderId].map(trimmed) as [string, string, string];
    // Searched for unknown logins too, so that timing does not reveal whether a login exists (safety, T10).
    const order = isOrderId(orderId)
      ? await this.orders.find(login as MerchantLogin, clientOrderId as ClientOrderId, orderId, signed.deadline)
      : undefined;
    const full = { amountMinor: BigInt(order?.amountMinor ?? 0), currency: order?.currency ?? '' };
    return isControl(amountFollowUpControl(named, full, key), sentIn(signed)) && order !== undefined;
  }
}

const hasAmount = ({ form }: Signed): boolean => form.text('amount') !== '';
