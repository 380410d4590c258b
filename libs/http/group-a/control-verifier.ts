import { isOrderId, type ClientOrderId, type Deadline, type MerchantLogin } from '@app/kernel';
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
} from '@app/gateway-protocol';
import type { ExistingOrders } from './existing-order';
import { AMBIGUOUS_FROM_MINOR, matchesExistingFollowUp, matchesExistingRebill } from './ambiguous-control';

/** The input of a checksum, which is verified before the fields are validated. */
export interface Signed {
  readonly form: SignedFields;
  /** The endpoint or group id in the path. */
  readonly entryPointId: string;
  /** Zero where the request has no amount. */
  readonly amountMinor: bigint;
  readonly rebillControl: Merchant['rebillControl'];
  /** Limits the search for existing orders that some texts need. */
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
  /** The table is complete: a text without a check does not compile. */
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

  /** Whether the request's `control` is the checksum of this text under this key. */
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

  /** Some clients sign a full capture with the order's amount and currency and send neither (protocol decisions, D5.2). */
  private async isCaptureInFull(signed: Signed, key: ControlKey): Promise<boolean> {
    const named = orderIn(signed);
    const [login, clientOrderId, orderId] = [named.login, named.clientOrderId, named.orderId].map(trimmed) as [string, string, string];
    // Searched under any login, so that the time of the answer does not tell a merchant's login from an unknown one (safety, T10).
    const order = isOrderId(orderId)
      ? await this.orders.find(login as MerchantLogin, clientOrderId as ClientOrderId, orderId, signed.deadline)
      : undefined;
    const full = { amountMinor: BigInt(order?.amountMinor ?? 0), currency: order?.currency ?? '' };
    return isControl(amountFollowUpControl(named, full, key), sentIn(signed)) && order !== undefined;
  }
}

const hasAmount = ({ form }: Signed): boolean => form.text('amount') !== '';
