import { isCardRefId, Secret, type BootId, type ClientOrderId, type Currency } from '@app/kernel';
import type { ServiceDigests } from '@app/card-vault';
import type { EgressPolicy } from '@app/deliveries';
import { isRebillControl, MakeRebillSaleRequest, type ControlKey, type RefusalName } from '@app/gateway-protocol';
import type { Accounts } from '@app/merchant-accounts';
import { offerFor } from '@app/order-processing';
import type { Offer } from '@app/order-processing/domain';
import type { ChargeRefused, ChargeRegisteredCardHandler } from '@app/recurring';
import type { RecurrentMarks } from '@app/recurring/events';
import { asyncAnswer } from '../async-answer';
import { contentParts } from '../content';
import { addressFault } from '../merchant-addresses';
import { orderDetailsOf } from '../order-details';
import { refused, type AdmittedRequest, type Answer, type GroupAOperation, type Signed } from '../operation';

/** A complete table: a reason without a row does not compile. */
const REFUSALS: Readonly<Record<ChargeRefused['reason'], { readonly name: RefusalName; readonly message?: string }>> = {
  'card-reference-unknown': { name: 'unknown-card-reference' },
  'card-reference-not-usable': { name: 'card-reference-not-usable' },
  'client-orderid-reused': { name: 'client-orderid-reused' },
  'operation-not-offered': { name: 'operation-not-supported' },
  'currency-not-served': { name: 'currency-not-served' },
  'cvv-required': { name: 'malformed-field', message: 'cvv2: is required by the gate' },
  'address-not-called': { name: 'malformed-field' },
  'amount-out-of-range': { name: 'amount-out-of-range' },
};

export interface MakeRebillSalePorts {
  readonly handler: ChargeRegisteredCardHandler;
  readonly accounts: Accounts;
  readonly digests: ServiceDigests;
  readonly egress: EgressPolicy;
  readonly bootId: BootId;
  readonly payerMs: number;
}

const marksOf = ({ recurrent_scenario: scenario, recurrent_initiator: initiator }: MakeRebillSaleRequest): RecurrentMarks => {
  if (scenario === undefined) return initiator === undefined ? {} : { initiator };
  return initiator === undefined ? { scenario } : { scenario, initiator };
};

/** Recurrent payment (interface, section 2.4). */
export class MakeRebillSaleOperation implements GroupAOperation<MakeRebillSaleRequest> {
  readonly name = 'make-rebill-sale';
  readonly message = MakeRebillSaleRequest;
  readonly hasLogin = true;
  readonly hasAmount = true;

  constructor(private readonly ports: MakeRebillSalePorts) {}

  isSigned({ form, entryPointId, amountMinor, rebillControl }: Signed, key: ControlKey): boolean {
    const signed = {
      entryPoint: entryPointId,
      login: form.text('login'),
      clientOrderId: form.text('client_orderid'),
      cardRefId: form.text('cardrefid'),
      amountMinor,
      currency: form.text('currency'),
    };
    return isRebillControl(signed, form.text('control'), key, rebillControl);
  }

  async perform({ message, entryPoint, merchant, serial, amountMinor }: AdmittedRequest<MakeRebillSaleRequest>): Promise<Answer> {
    const { handler, accounts, digests, egress, bootId, payerMs } = this.ports;
    const { server_callback_url: callbackUrl, cvv2, cardrefid } = message;
    // To ignore it would charge the wrong sum.
    if (message.enumerate_amounts !== undefined) return refused('operation-not-supported', 'enumerate_amounts is not supported');
    const fault = addressFault(egress, [['server_callback_url', callbackUrl]]);
    if (!isCardRefId(cardrefid)) return fault === undefined ? refused('unknown-card-reference') : refused('malformed-field', fault);
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
      notifyUrl: undefined,
    });
    // Refused like all that today's configuration refuses: behind the question whether it was accepted before (architecture, rule 1).
    const offer: Offer = fault === undefined ? offered : { kind: 'refused', reason: 'address-not-called' };
    const outcome = await handler.handle({
      merchant: merchant.login,
      clientOrderId: message.client_orderid as ClientOrderId,
      contentDigest: digests.contentDigest(contentParts(this.name, entryPoint, message, amountMinor)),
      cardRefId: cardrefid,
      amount: { minor: amountMinor, currency },
      ...(cvv2 !== undefined && { cvv: new Secret(cvv2) }),
      details: orderDetailsOf(message),
      marks: marksOf(message),
      offer,
      serial,
    });
    if (outcome.reason === 'accepted') return asyncAnswer(serial, message.client_orderid, outcome.orderId);
    const { name, message: text } = REFUSALS[outcome.reason];
    return refused(name, outcome.reason === 'address-not-called' ? fault : text);
  }
}
