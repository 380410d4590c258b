import { parseAmount } from '@app/kernel';
import {
  callbackControl,
  cardInfoControl,
  initialPaymentControl,
  orderControl,
  rebillControl,
  type ControlKey,
} from '@app/gateway-protocol';
import type { Configuration, EntryPoint, Merchant } from '@app/merchant-accounts';
import { CommandFailed } from '../command-failed';

export const SIGNED_OPERATIONS = ['sale', 'create-card-ref', 'get-card-info', 'make-rebill-sale', 'status', 'callback'] as const;
export type SignedOperation = (typeof SIGNED_OPERATIONS)[number];

export const isSignedOperation = (text: string): text is SignedOperation => (SIGNED_OPERATIONS as readonly string[]).includes(text);

export interface ToSign {
  readonly operation: SignedOperation;
  /** As they stand in the request, without `control`. */
  readonly fields: ReadonlyMap<string, string>;
  /** Of the path; of a merchant who is named by login, its first endpoint where neither is given. */
  readonly endpoint?: string | undefined;
  readonly group?: string | undefined;
}

export interface SignedRequest {
  readonly operation: SignedOperation;
  readonly control: string;
  /** Where it goes; undefined for a callback, which comes from us. */
  readonly url: string | undefined;
  /** The request's fields, `control` the last. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/**
 * The checksum of a request (interface, section 5.1; protocol decisions, section 5) under the merchant's control key, which comes from the
 * configuration and is never given or shown. Values are trimmed as the service trims them.
 * @throws CommandFailed where a field that is signed is missing, or merchant or entry point are not known
 */
export const signRequest = ({ operation, fields, endpoint, group }: ToSign, configuration: Configuration): SignedRequest => {
  const { merchant, entryPoint } = signerOf(operation, { login: fields.get('login')?.trim(), endpoint, group }, configuration);
  const text = (name: string): string => {
    const value = fields.get(name)?.trim() ?? '';
    if (value === '') throw new CommandFailed(`${operation} signs ${name}: give ${name}=...`);
    return value;
  };
  const control = controlOf(operation, text, (name) => fields.get(name)?.trim() ?? '', entryPoint.id, merchant);
  const base = configuration.publicBaseUrl + configuration.pathPrefix;
  const path = entryPoint.kind === 'group' ? `group/${entryPoint.id}` : entryPoint.id;
  return {
    operation,
    control,
    url: operation === 'callback' ? undefined : `${base}/api/v2/${operation}/${path}`,
    fields: [...[...fields].filter(([name]) => name !== 'control'), ['control', control]],
  };
};

const controlOf = (
  operation: SignedOperation,
  required: (name: string) => string,
  optional: (name: string) => string,
  entryPoint: string,
  { controlKey, rebillControl: form }: Merchant,
): string => {
  const key: ControlKey = controlKey;
  switch (operation) {
    case 'sale': {
      const signed = { clientOrderId: required('client_orderid'), amountMinor: minorOf(required('amount')), email: required('email') };
      return initialPaymentControl({ ...signed, entryPoint }, key);
    }
    case 'make-rebill-sale': {
      const named = { login: required('login'), clientOrderId: required('client_orderid'), cardRefId: required('cardrefid') };
      const signed = { ...named, entryPoint, amountMinor: minorOf(required('amount')), currency: required('currency') };
      return rebillControl(signed, key, form === 'without-endpoint' ? form : 'with-endpoint');
    }
    case 'create-card-ref':
      return orderControl({ login: required('login'), clientOrderId: required('client_orderid'), orderId: required('orderid') }, key);
    case 'status':
      return orderControl({ login: required('login'), clientOrderId: required('client_orderid'), orderId: optional('orderid') }, key);
    case 'get-card-info':
      return cardInfoControl({ login: required('login'), cardRefId: required('cardrefid') }, key);
    case 'callback':
      return callbackControl({ status: required('status'), orderId: required('orderid'), clientOrderId: required('client_orderid') }, key);
  }
};

const minorOf = (amount: string): bigint => {
  const minor = parseAmount(amount);
  if (minor === undefined) throw new CommandFailed('amount: major units with a dot and at most two decimals are expected, as 10.42');
  return minor;
};

interface Named {
  readonly login: string | undefined;
  readonly endpoint: string | undefined;
  readonly group: string | undefined;
}

const signerOf = (
  operation: SignedOperation,
  { login, endpoint, group }: Named,
  { accounts }: Configuration,
): { readonly merchant: Merchant; readonly entryPoint: Pick<EntryPoint, 'kind' | 'id'> } => {
  if (endpoint !== undefined && group !== undefined) throw new CommandFailed('give --endpoint or --group, not both');
  const id = endpoint ?? group;
  if (id !== undefined) {
    const entryPoint = accounts.entryPoint(group === undefined ? 'endpoint' : 'group', id);
    const merchant = entryPoint && accounts.merchant(entryPoint.merchant);
    if (entryPoint === undefined || merchant === undefined) throw new CommandFailed('the configuration has no such endpoint or group');
    if (login !== undefined && login !== merchant.login) throw new CommandFailed(`that entry point is not one of ${login}`);
    return { merchant, entryPoint };
  }
  // A recurrent payment and a sale sign the entry point itself: none can be guessed for them.
  if (operation === 'sale' || operation === 'make-rebill-sale')
    throw new CommandFailed(`${operation} signs its entry point: give --endpoint or --group`);
  const merchant = login === undefined ? undefined : accounts.merchant(login);
  if (merchant === undefined) throw new CommandFailed('the configuration has no such merchant: give login=..., --endpoint or --group');
  return { merchant, entryPoint: { kind: 'endpoint', id: merchant.endpoints[0].id } };
};
