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
import type { ExistingOrders } from '../orders/existing-order';
import { isFollowUpOfRebill, isRebillOfFollowUp, MAY_BE_FOLLOW_UP_FROM } from './shared-text';

/** What the checksum is made of, before any other field was looked at. */
export interface Signed {
  readonly form: SignedFields;
  /** End point id or group id, as it stands in the path. */
  readonly entryPointId: string;
  /** Zero where the request has no amount. */
  readonly amountMinor: bigint;
  readonly rebillControl: Merchant['rebillControl'];
  /** For the orders that some texts are compared with. */
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

/** Checksums under the merchant's control key (interface, section 5.1; protocol decisions, section 5). */
export class ControlVerifier {
  /** A complete table: a text without a check does not compile. */
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
    if (!isSigned || amountMinor < MAY_BE_FOLLOW_UP_FROM || isControl(rebillControl(signed, key, 'with-endpoint'), sent)) return isSigned;
    return isRebillOfFollowUp(this.orders, signed, deadline).then((isOther) => !isOther);
  }

  private async isAmountFollowUp(signed: Signed, key: ControlKey): Promise<boolean> {
    const named = orderIn(signed);
    const amount = { amountMinor: signed.amountMinor, currency: signed.form.text('currency') };
    const isSigned = isControl(amountFollowUpControl(named, amount, key), sentIn(signed));
    return isSigned && !(await isFollowUpOfRebill(this.orders, named, amount, signed.deadline));
  }

  /** An observed client signs a full capture with the order's amount and currency and sends neither (protocol decisions, section 5). */
  private async isCaptureInFull(signed: Signed, key: ControlKey): Promise<boolean> {
    const named = orderIn(signed);
    const [login, clientOrderId, orderId] = [named.login, named.clientOrderId, named.orderId].map(trimmed) as [string, string, string];
    // Looked for under any login: a stranger's takes as long as an order that does not exist (safety, T10).
    const order = isOrderId(orderId)
      ? await this.orders.find(login as MerchantLogin, clientOrderId as ClientOrderId, orderId, signed.deadline)
      : undefined;
    const full = { amountMinor: BigInt(order?.amountMinor ?? 0), currency: order?.currency ?? '' };
    return isControl(amountFollowUpControl(named, full, key), sentIn(signed)) && order !== undefined;
  }
}

const hasAmount = ({ form }: Signed): boolean => form.text('amount') !== '';
