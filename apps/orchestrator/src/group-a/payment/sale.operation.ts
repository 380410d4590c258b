import type { BootId, ClientOrderId, Currency } from '@app/kernel';
import { Secret } from '@app/kernel';
import type { ServiceDigests } from '@app/card-vault';
import type { EgressPolicy } from '@app/deliveries';
import { cardOf, initialPaymentControl, isControl, SaleRequest, type ControlKey, type RefusalName } from '@app/gateway-protocol';
import type { Accounts } from '@app/merchant-accounts';
import { offerFor } from '@app/order-processing';
import type { Customer, Offer } from '@app/order-processing/domain';
import type { PaymentRefused, TakePaymentHandler } from '@app/payment';
import { asyncAnswer } from '../async-answer';
import { contentParts } from '../content';
import { addressFault } from '../merchant-addresses';
import { orderDetailsOf } from '../order-details';
import { refused, type AdmittedRequest, type Answer, type GroupAOperation, type Signed } from '../operation';

/** A complete table: a reason without a row does not compile. */
const REFUSALS: Readonly<Record<PaymentRefused['reason'], { readonly name: RefusalName; readonly message?: string }>> = {
  'client-orderid-reused': { name: 'client-orderid-reused' },
  'operation-not-offered': { name: 'operation-not-supported' },
  'currency-not-served': { name: 'currency-not-served' },
  'cvv-required': { name: 'malformed-field', message: 'cvv2: is required by the gate' },
  'address-not-called': { name: 'malformed-field' },
  'amount-out-of-range': { name: 'amount-out-of-range' },
};

export interface SalePorts {
  readonly handler: TakePaymentHandler;
  readonly accounts: Accounts;
  readonly digests: ServiceDigests;
  readonly egress: EgressPolicy;
  readonly bootId: BootId;
  readonly payerMs: number;
}

const customerOf = (message: SaleRequest): Customer => {
  const { first_name, last_name, cell_phone, state, ssn, birthday } = message;
  return {
    holder: message.card_printed_name,
    email: message.email,
    phone: message.phone,
    country: message.country,
    city: message.city,
    zipCode: message.zip_code,
    address1: message.address1,
    ...(first_name !== undefined && { firstName: first_name }),
    ...(last_name !== undefined && { lastName: last_name }),
    ...(cell_phone !== undefined && { cellPhone: cell_phone }),
    ...(state !== undefined && { state }),
    ...(ssn !== undefined && { ssn }),
    ...(birthday !== undefined && { birthday }),
  };
};

/** Initial payment (protocol decisions, section 10). */
export class SaleOperation implements GroupAOperation<SaleRequest> {
  readonly name = 'sale';
  readonly message = SaleRequest;
  readonly hasLogin = false;
  readonly hasAmount = true;

  constructor(private readonly ports: SalePorts) {}

  isSigned({ form, entryPointId, amountMinor }: Signed, key: ControlKey): boolean {
    const signed = { entryPoint: entryPointId, clientOrderId: form.text('client_orderid'), amountMinor, email: form.text('email') };
    return isControl(initialPaymentControl(signed, key), form.text('control'));
  }

  async perform({ message, entryPoint, merchant, serial, amountMinor }: AdmittedRequest<SaleRequest>): Promise<Answer> {
    const { handler, accounts, digests, egress, bootId, payerMs } = this.ports;
    const { server_callback_url: callbackUrl, notify_url: notifyUrl, cvv2 } = message;
    const fault = addressFault(egress, [
      ['server_callback_url', callbackUrl],
      ['notify_url', notifyUrl],
    ]);
    const currency = message.currency as Currency;
    const offered = offerFor(accounts, {
      entryPoint,
      operation: 'sale',
      operationName: this.name,
      currency,
      hasCvv: cvv2 !== undefined,
      bootId,
      payerMs,
      callbackUrl,
      notifyUrl,
    });
    // Refused like all that today's configuration refuses: behind the question whether it was accepted before (architecture, rule 1).
    const offer: Offer = fault === undefined ? offered : { kind: 'refused', reason: 'address-not-called' };
    const outcome = await handler.handle({
      merchant: merchant.login,
      clientOrderId: message.client_orderid as ClientOrderId,
      contentDigest: digests.contentDigest(contentParts(this.name, entryPoint, message, amountMinor)),
      amount: { minor: amountMinor, currency },
      card: cardOf(message),
      ...(cvv2 !== undefined && { cvv: new Secret(cvv2) }),
      customer: customerOf(message),
      details: orderDetailsOf(message),
      offer,
      serial,
    });
    if (outcome.reason === 'accepted') return asyncAnswer(serial, message.client_orderid, outcome.orderId, outcome.endpointId);
    const { name, message: text } = REFUSALS[outcome.reason];
    return refused(name, outcome.reason === 'address-not-called' ? fault : text);
  }
}
