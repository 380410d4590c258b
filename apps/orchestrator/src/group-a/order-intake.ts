import { Secret, type BootId, type ClientOrderId, type Currency } from '@app/kernel';
import type { ServiceDigests } from '@app/card-vault';
import type { EgressPolicy } from '@app/egress';
import type { Gates } from '@app/gateway-adapters/contract';
import type { RefusalName } from '@app/gateway-protocol';
import type { Accounts, OperationName } from '@app/configuration';
import { offerFor, type OrderRefused, type OrderRequest } from '@app/order-processing';
import type { AcceptanceRejection, Operation } from '@app/order-processing/domain';
import { contentParts } from './content';
import { addressFault } from './merchant-addresses';
import { refused, type AdmittedRequest, type Answer } from './operation';
import { orderDetailsOf } from './order-details';

export type Refusals<Reason extends string> = Readonly<Record<Reason, { readonly name: RefusalName; readonly message?: string }>>;

/** For which any request for an order may be refused. A complete table: a reason without a row does not compile. */
export const ORDER_REFUSALS: Refusals<OrderRefused<AcceptanceRejection>['reason']> = {
  'client-orderid-reused': { name: 'client-orderid-reused' },
  'operation-not-offered': { name: 'operation-not-supported' },
  'currency-not-served': { name: 'currency-not-served' },
  'cvv-required': { name: 'malformed-field', message: 'cvv2: is required by the gate' },
  'email-required': { name: 'malformed-field' },
  'address-not-called': { name: 'malformed-field' },
  'amount-out-of-range': { name: 'amount-out-of-range' },
};

export interface OrderIntakePorts {
  readonly accounts: Accounts;
  readonly gates: Gates;
  readonly digests: ServiceDigests;
  readonly egress: EgressPolicy;
  readonly bootId: BootId;
  readonly payerMs: number;
}

type OrderMessage = Parameters<typeof orderDetailsOf>[0] & {
  readonly client_orderid: string;
  readonly cvv2?: string | undefined;
};

/** A request for an order, in the words of the contexts. */
export interface OrderIntake {
  readonly order: OrderRequest;
  /** Of an address that this house would never call (safety, T16), with its field. */
  readonly fault: string | undefined;
}

/** What is ordered, and in which currency: the message's, or that of the endpoint where the operation has none. */
interface Ordered {
  readonly operation: Operation;
  readonly operationName: OperationName;
  readonly currency: string;
}

/** What every operation that takes an order reads from its message and from the configuration of the moment. */
export const orderIntake = (
  { accounts, gates, digests, egress, bootId, payerMs }: OrderIntakePorts,
  { operation, operationName, currency: named }: Ordered,
  { message, entryPoint, merchant, serial, callerTrace, deadline, amountMinor }: AdmittedRequest<OrderMessage>,
): OrderIntake => {
  const { server_callback_url: callbackUrl, notify_url: notifyUrl, cvv2 } = message;
  const fault = addressFault(egress, [
    ['server_callback_url', callbackUrl],
    ['notify_url', notifyUrl],
  ]);
  const currency = named as Currency;
  const hasCvv = cvv2 !== undefined;
  const asked = { entryPoint, gates, operation, operationName, currency, hasCvv, bootId, payerMs, callbackUrl, notifyUrl };
  const offered = offerFor(accounts, asked);
  const order: OrderRequest = {
    operation,
    merchant: merchant.login,
    clientOrderId: message.client_orderid as ClientOrderId,
    contentDigest: digests.contentDigest(contentParts(operationName, entryPoint, message, amountMinor)),
    amount: { minor: amountMinor, currency },
    ...(hasCvv && { cvv: new Secret(cvv2) }),
    details: orderDetailsOf(message),
    // Refused like all that today's configuration refuses: behind the question whether it was accepted before (architecture, rule 1).
    offer: fault === undefined ? offered : { kind: 'refused', reason: 'address-not-called' },
    serial,
    callerTrace,
    deadline,
  };
  return { order, fault };
};

export const refusedOrder = <Reason extends string>(refusals: Refusals<Reason>, reason: Reason, { fault }: OrderIntake): Answer => {
  const { name, message } = refusals[reason];
  return refused(name, reason === 'address-not-called' ? fault : message);
};
