import { servesOperation, type EntryPoint, type OperationName, type Accounts } from '@app/configuration';
import { Secret, type BootId, type ClientOrderId, type Currency } from '@app/kernel';
import type { ServiceDigests } from '@app/card-vault';
import { type EgressPolicy, checkUrlAtAcceptance, type TargetRefusal } from '@app/http/client';
import type { Gates } from '@app/gateway-adapters/contract';
import { token } from '@app/kernel/injection';
import { type AdmittedRequest, refused, type Answer, type Refusals, contentParts, type ExistingOrders } from '@app/http/group-a';
import { offerFor } from '../application/acceptance/offer';
import type { OrderRefused, OrderRequest } from '../application/acceptance/accept-order';
import type { AcceptanceRejection } from '../domain/acceptance';
import type { Operation, OrderDetails } from '../domain/accepted-order';

export const isOffered = (entryPoint: EntryPoint, operation: OperationName): boolean =>
  (entryPoint.kind === 'endpoint' ? [entryPoint.endpoint] : entryPoint.endpoints).some((endpoint) => servesOperation(endpoint, operation));

interface DetailFields {
  readonly order_desc: string;
  readonly ipaddress: string;
  readonly comment?: string | undefined;
  readonly merchant_data?: string | undefined;
  readonly purpose?: string | undefined;
  readonly site_url?: string | undefined;
  readonly redirect_url?: string | undefined;
  readonly redirect_success_url?: string | undefined;
  readonly redirect_fail_url?: string | undefined;
  readonly server_callback_url?: string | undefined;
  readonly notify_url?: string | undefined;
}

/** Copies field by field, so that a field not listed here is never stored (safety, T24). */
const orderDetailsOf = (message: DetailFields): OrderDetails => ({
  description: message.order_desc,
  ipAddress: message.ipaddress,
  ...(message.comment !== undefined && { comment: message.comment }),
  ...(message.merchant_data !== undefined && { merchantData: message.merchant_data }),
  ...(message.purpose !== undefined && { purpose: message.purpose }),
  ...(message.site_url !== undefined && { siteUrl: message.site_url }),
  ...(message.redirect_url !== undefined && { redirectUrl: message.redirect_url }),
  ...(message.redirect_success_url !== undefined && { redirectSuccessUrl: message.redirect_success_url }),
  ...(message.redirect_fail_url !== undefined && { redirectFailUrl: message.redirect_fail_url }),
  ...(message.server_callback_url !== undefined && { callbackUrl: message.server_callback_url }),
  ...(message.notify_url !== undefined && { notifyUrl: message.notify_url }),
});

const ruleFor = (refusal: TargetRefusal, { isPlainHttpOpen, requestPorts }: EgressPolicy): string => {
  if (refusal === 'malformed' || refusal === 'userinfo') return 'must be an absolute address without user name';
  if (refusal === 'scheme') return `must begin with https://${isPlainHttpOpen ? ' or http://' : ''}`;
  if (refusal === 'port') return `must have one of the ports ${[...requestPorts].sort((left, right) => left - right).join(', ')}`;
  return `must lead to a public address, and this one is ${refusal}`;
};

/** The first refused address, with the reason (safety, T16). Host names are not resolved here. */
export const findAddressFault = (
  policy: EgressPolicy,
  fields: readonly (readonly [name: string, url: string | undefined])[],
): string | undefined => {
  for (const [name, url] of fields) {
    if (url === undefined) continue;
    const check = checkUrlAtAcceptance(url, policy);
    if (check.kind === 'refused') return `${name} ${ruleFor(check.reason, policy)}`;
  }
  return undefined;
};

export const ORDER_REFUSALS: Refusals<OrderRefused<AcceptanceRejection>['reason']> = {
  'client-orderid-reused': { name: 'client-orderid-reused' },
  'operation-not-offered': { name: 'operation-not-supported' },
  'currency-not-served': { name: 'currency-not-served' },
  'cvv-required': { name: 'malformed-field', message: 'cvv2: is required by the gate' },
  'email-required': { name: 'malformed-field' },
  'address-not-called': { name: 'malformed-field' },
  'amount-out-of-range': { name: 'amount-out-of-range' },
  held: { name: 'temporarily-unavailable' },
};

export interface OrderIntakePorts {
  readonly accounts: Accounts;
  readonly gates: Gates;
  readonly digests: ServiceDigests;
  readonly egress: EgressPolicy;
  readonly bootId: BootId;
  readonly payerMs: number;
}

export const ORDER_INTAKE = token<OrderIntakePorts & { readonly orders: ExistingOrders }>('ORDER_INTAKE');

type OrderMessage = Parameters<typeof orderDetailsOf>[0] & {
  readonly client_orderid: string;
  readonly cvv2?: string | undefined;
};

interface OrderIntake {
  readonly order: OrderRequest;
  readonly addressFault: string | undefined;
}

interface OrderedOperation {
  readonly operation: Operation;
  readonly operationName: OperationName;
  readonly currency: string;
}

export const orderIntake = (
  { accounts, gates, digests, egress, bootId, payerMs }: OrderIntakePorts,
  { operation, operationName, currency: code }: OrderedOperation,
  { message, entryPoint, merchant, serial, callerTrace, deadline, amountMinor }: AdmittedRequest<OrderMessage>,
): OrderIntake => {
  const { server_callback_url: callbackUrl, notify_url: notifyUrl, cvv2 } = message;
  const fault = findAddressFault(egress, [
    ['server_callback_url', callbackUrl],
    ['notify_url', notifyUrl],
  ]);
  const currency = code as Currency;
  const hasCvv = cvv2 !== undefined;
  const terms = { entryPoint, gates, operation, operationName, currency, hasCvv, bootId, payerMs, callbackUrl, notifyUrl };
  const offer = offerFor(accounts, terms);
  const order: OrderRequest = {
    operation,
    merchant: merchant.login,
    clientOrderId: message.client_orderid as ClientOrderId,
    contentDigest: digests.contentDigest(contentParts(operationName, entryPoint, message, amountMinor)),
    amount: { minor: amountMinor, currency },
    ...(hasCvv && { cvv: new Secret(cvv2) }),
    details: orderDetailsOf(message),
    // Part of the offer, because an order accepted under an earlier policy must be found before it is refused (architecture, rule 1).
    offer: fault === undefined ? offer : { kind: 'refused', reason: 'address-not-called' },
    serial,
    callerTrace,
    deadline,
  };
  return { order, addressFault: fault };
};

export const refusedOrder = <Reason extends string>(refusals: Refusals<Reason>, reason: Reason, { addressFault }: OrderIntake): Answer => {
  const { name, message } = refusals[reason];
  return refused(name, reason === 'address-not-called' ? addressFault : message);
};
