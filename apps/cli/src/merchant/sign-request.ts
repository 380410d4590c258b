import type { KeyObject } from 'node:crypto';
import { parseAmount, type Instant } from '@app/kernel';
import {
  accountVerificationControl,
  amountFollowUpControl,
  callbackControl,
  cardInfoControl,
  formSchema,
  GROUP_A_OPERATIONS,
  initialPaymentControl,
  orderControl,
  rebillControl,
  signedAuthorization,
  type GroupAOperationName,
  type GroupAOperationRow,
  type SignedText,
} from '@app/gateway-protocol';
import type { Configuration, EntryPoint, Merchant } from '@app/configuration';
import { CommandFailed, EXIT } from '../command-failed';

export type SignedOperation = GroupAOperationName | 'callback';
const ROWS: readonly GroupAOperationRow[] = Object.values(GROUP_A_OPERATIONS);
export const SIGNED_OPERATIONS: readonly string[] = [...new Set(ROWS.map(({ name }) => name)), 'callback'];
/** Operations that have a version 4 too (protocol decisions, section 1). */
const V4_OPERATIONS: ReadonlySet<string> = new Set(ROWS.filter(({ proof }) => proof.kind === 'oauth').map(({ name }) => name));
/** Signed texts that contain the entry point, which therefore has no default. */
const TEXTS_WITH_ENTRY_POINT: ReadonlySet<SignedText> = new Set(['initial-payment', 'account-verification', 'rebill']);

/** The version of an operation that has a checksum, with the text that is signed; undefined for a callback. */
const signedTextOf = (operation: SignedOperation): { readonly row: GroupAOperationRow; readonly text: SignedText } | undefined => {
  for (const row of ROWS) if (row.name === operation && row.proof.kind === 'control') return { row, text: row.proof.text };
  return undefined;
};

export const isSignedOperation = (text: string): text is SignedOperation => SIGNED_OPERATIONS.includes(text);

/** The key of a v4 request. */
interface OauthSigning {
  /** The merchant's private key. */
  readonly privateKey: KeyObject;
  readonly nonce: string;
  readonly now: Instant;
}

export interface ToSign {
  readonly operation: SignedOperation;
  /** The request's fields without `control`. */
  readonly fields: ReadonlyMap<string, string>;
  /** The path's entry point; where it is absent, the first endpoint of the merchant that is named by login. */
  readonly endpoint?: string | undefined;
  readonly group?: string | undefined;
  /** Present for version 4. */
  readonly oauth?: OauthSigning | undefined;
}

export interface SignedRequest {
  readonly operation: SignedOperation;
  /** The checksum; absent in version 4. */
  readonly control?: string;
  /** The Authorization header of version 4. */
  readonly authorization?: string;
  /** The address of the request; undefined for a callback, which the service sends itself. */
  readonly url: string | undefined;
  /** The request's fields, `control` the last. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/**
 * Signs a request: by a checksum under the merchant's control key, which comes from the configuration and is never given or shown (interface,
 * section 5.1; protocol decisions, section 5), or in version 4 by its private key (interface, section 5.2). A checksum is made of trimmed values, as
 * the service makes it.
 * @throws CommandFailed where a field that is signed is missing, or merchant or entry point are not known
 */
export const signRequest = ({ operation, fields, endpoint, group, oauth }: ToSign, configuration: Configuration): SignedRequest => {
  const { merchant, entryPoint } = signerOf(operation, { login: fields.get('login')?.trim(), endpoint, group }, configuration);
  const base = configuration.publicBaseUrl + configuration.pathPrefix;
  const path = `${operation}/${entryPoint.kind === 'group' ? `group/${entryPoint.id}` : entryPoint.id}`;
  if (oauth !== undefined) return signedByKey(operation, `${base}/api/v4/${path}`, [...fields], merchant, oauth);
  const required = (name: string): string => {
    const value = fields.get(name)?.trim() ?? '';
    if (value === '') throw new CommandFailed(`${operation} signs ${name}: give ${name}=...`, EXIT.usage);
    return value;
  };
  const optional = (name: string): string => fields.get(name)?.trim() ?? '';
  const control = controlOf(operation, { required, optional, entryPoint: entryPoint.id, merchant });
  return {
    operation,
    control,
    url: operation === 'callback' ? undefined : `${base}/api/v2/${path}`,
    fields: [...[...fields].filter(([name]) => name !== 'control'), ['control', control]],
  };
};

const signedByKey = (
  operation: SignedOperation,
  url: string,
  fields: SignedRequest['fields'],
  { login }: Merchant,
  { privateKey, nonce, now }: OauthSigning,
): SignedRequest => {
  if (!V4_OPERATIONS.has(operation))
    throw new CommandFailed(`version 4 has ${[...V4_OPERATIONS].join(' and ')}: no key is needed here`, EXIT.usage);
  const authorization = signedAuthorization({ method: 'POST', url, parameters: fields }, { consumerKey: login, privateKey, nonce, now });
  return { operation, authorization, url, fields };
};

/** The values that a checksum may cover. */
interface ControlInput {
  readonly required: (name: string) => string;
  readonly optional: (name: string) => string;
  readonly entryPoint: string;
  readonly merchant: Merchant;
  /** Order status alone can do without. */
  readonly isOrderIdRequired: boolean;
}

const orderIn = ({ required, optional, isOrderIdRequired }: ControlInput) => ({
  login: required('login'),
  clientOrderId: required('client_orderid'),
  orderId: isOrderIdRequired ? required('orderid') : optional('orderid'),
});
const followUpControl = (input: ControlInput): string => {
  const { required, optional, merchant } = input;
  const named = orderIn(input);
  if (optional('amount') === '') return orderControl(named, merchant.controlKey);
  return amountFollowUpControl(named, { amountMinor: minorOf(optional('amount')), currency: required('currency') }, merchant.controlKey);
};

/** The checksum of each signed text. */
const CONTROLS: Readonly<Record<SignedText, (input: ControlInput) => string>> = {
  'initial-payment': ({ required, entryPoint, merchant }) => {
    const signed = { clientOrderId: required('client_orderid'), amountMinor: minorOf(required('amount')), email: required('email') };
    return initialPaymentControl({ ...signed, entryPoint }, merchant.controlKey);
  },
  'account-verification': ({ required, entryPoint, merchant }) =>
    accountVerificationControl({ entryPoint, clientOrderId: required('client_orderid'), email: required('email') }, merchant.controlKey),
  rebill: ({ required, entryPoint, merchant: { controlKey, rebillControl: form } }) => {
    const named = { login: required('login'), clientOrderId: required('client_orderid'), cardRefId: required('cardrefid') };
    const signed = { ...named, entryPoint, amountMinor: minorOf(required('amount')), currency: required('currency') };
    return rebillControl(signed, controlKey, form === 'without-endpoint' ? form : 'with-endpoint');
  },
  'follow-up': followUpControl,
  capture: followUpControl,
  order: (input) => orderControl(orderIn(input), input.merchant.controlKey),
  card: ({ required, merchant }) => cardInfoControl({ login: required('login'), cardRefId: required('cardrefid') }, merchant.controlKey),
};

const controlOf = (operation: SignedOperation, input: Omit<ControlInput, 'isOrderIdRequired'>): string => {
  const { required, merchant } = input;
  const signed = signedTextOf(operation);
  if (signed === undefined)
    return callbackControl(
      { status: required('status'), orderId: required('orderid'), clientOrderId: required('client_orderid') },
      merchant.controlKey,
    );
  const isOrderIdRequired = formSchema(signed.row.message).required?.includes('orderid') === true;
  return CONTROLS[signed.text]({ ...input, isOrderIdRequired });
};

const minorOf = (amount: string): bigint => {
  const minor = parseAmount(amount);
  if (minor === undefined)
    throw new CommandFailed('amount: major units with a dot and at most two decimals are expected, as 10.42', EXIT.usage);
  return minor;
};

interface SignerNames {
  readonly login: string | undefined;
  readonly endpoint: string | undefined;
  readonly group: string | undefined;
}

const signerOf = (
  operation: SignedOperation,
  { login, endpoint, group }: SignerNames,
  { accounts }: Configuration,
): { readonly merchant: Merchant; readonly entryPoint: Pick<EntryPoint, 'kind' | 'id'> } => {
  if (endpoint !== undefined && group !== undefined) throw new CommandFailed('give --endpoint or --group, not both', EXIT.usage);
  const id = endpoint ?? group;
  if (id !== undefined) {
    const entryPoint = accounts.entryPoint(group === undefined ? 'endpoint' : 'group', id);
    const merchant = entryPoint && accounts.merchant(entryPoint.merchant);
    if (entryPoint === undefined || merchant === undefined)
      throw new CommandFailed('the configuration has no such endpoint or group', EXIT.notFound);
    if (login !== undefined && login !== merchant.login) throw new CommandFailed(`that entry point is not one of ${login}`, EXIT.usage);
    return { merchant, entryPoint };
  }
  const text = signedTextOf(operation)?.text;
  if (text !== undefined && TEXTS_WITH_ENTRY_POINT.has(text))
    throw new CommandFailed(`${operation} signs its entry point: give --endpoint or --group`, EXIT.usage);
  const merchant = login === undefined ? undefined : accounts.merchant(login);
  if (merchant === undefined)
    throw new CommandFailed('the configuration has no such merchant: give login=..., --endpoint or --group', EXIT.notFound);
  return { merchant, entryPoint: { kind: 'endpoint', id: merchant.endpoints[0].id } };
};
