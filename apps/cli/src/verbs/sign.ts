import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { parseAmount, type Instant, systemClock, systemIds } from '@app/kernel';
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
import { CommandFailed, EXIT, type Output, writeResult, type CommandContext } from '../terminal';
import { configurationOf, ownEnvironment } from '../stores';

const SAFE = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** Quotes one word for a POSIX shell, if necessary. */
export const shellWord = (text: string): string => (SAFE.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** The request as a line to paste into a shell. @throws CommandFailed for a callback, which no merchant sends */
export const curlLine = ({ url, authorization, fields }: Pick<SignedRequest, 'url' | 'authorization' | 'fields'>): string => {
  if (url === undefined) throw new CommandFailed('the service itself sends callbacks, so there is no request to make', EXIT.usage);
  const header = authorization === undefined ? [] : [`--header ${shellWord(`Authorization: ${authorization}`)}`];
  return [
    'curl -sS',
    shellWord(url),
    ...header,
    ...fields.map(([name, value]) => `--data-urlencode ${shellWord(`${name}=${value}`)}`),
  ].join(' ');
};

const KEY_FILE_BYTES_MAX = 65_536;

/** The private key that a merchant signs v4 requests with (interface, section 5.2). @throws CommandFailed with nothing of the file's content */
export const readPrivateKey = (path: string): KeyObject => {
  let key: KeyObject;
  try {
    if (statSync(path).size > KEY_FILE_BYTES_MAX) throw new Error('too large');
    key = createPrivateKey(readFileSync(path));
  } catch {
    throw new CommandFailed(`${path}: one private key in PEM, without a pass phrase, is expected`);
  }
  if (key.asymmetricKeyType !== 'rsa') throw new CommandFailed(`${path}: an RSA key is expected`);
  return key;
};

export type SignedOperation = GroupAOperationName | 'callback';
const ROWS: readonly GroupAOperationRow[] = Object.values(GROUP_A_OPERATIONS);
const SIGNED_OPERATIONS: readonly string[] = [...new Set(ROWS.map(({ name }) => name)), 'callback'];
const V4_OPERATIONS: ReadonlySet<string> = new Set(ROWS.filter(({ proof }) => proof.kind === 'oauth').map(({ name }) => name));
/** Signed texts that contain the entry point, which therefore has no default. */
const TEXTS_WITH_ENTRY_POINT: ReadonlySet<SignedText> = new Set(['initial-payment', 'account-verification', 'rebill']);

/** Undefined for a callback. */
const signedTextOf = (operation: SignedOperation): { readonly row: GroupAOperationRow; readonly text: SignedText } | undefined => {
  for (const row of ROWS) if (row.name === operation && row.proof.kind === 'control') return { row, text: row.proof.text };
  return undefined;
};

const isSignedOperation = (text: string): text is SignedOperation => SIGNED_OPERATIONS.includes(text);

interface OauthSigning {
  readonly privateKey: KeyObject;
  readonly nonce: string;
  readonly now: Instant;
}

interface ToSign {
  readonly operation: SignedOperation;
  readonly fields: ReadonlyMap<string, string>;
  /** The path's entry point; if absent, the first endpoint of the merchant. */
  readonly endpoint?: string | undefined;
  readonly group?: string | undefined;
  /** Present for version 4. */
  readonly oauth?: OauthSigning | undefined;
}

export interface SignedRequest {
  readonly operation: SignedOperation;
  readonly control?: string;
  /** The Authorization header of version 4. */
  readonly authorization?: string;
  /** Undefined for a callback, which the service itself sends. */
  readonly url: string | undefined;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/**
 * Signs a request with a checksum under the configured control key (interface, section 5.1; protocol decisions, section 5), or in version 4 with the private key (interface, section 5.2).
 * The key is never given or shown. Like the service, it signs trimmed values.
 * @throws CommandFailed if a signed field is missing, or merchant or entry point are unknown
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

interface ControlInput {
  readonly required: (name: string) => string;
  readonly optional: (name: string) => string;
  readonly entryPoint: string;
  readonly merchant: Merchant;
  /** False only for order status. */
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

interface SignOptions {
  readonly endpoint?: string;
  readonly group?: string;
  readonly key?: string;
  readonly curl?: true;
}

const sign = (operation: string, pairs: readonly string[], { endpoint, group, key, curl }: SignOptions, output: Output): void => {
  if (!isSignedOperation(operation))
    throw new CommandFailed(`unknown operation ${operation}. Choose from ${SIGNED_OPERATIONS.join(', ')}`, EXIT.usage);
  const configuration = configurationOf(ownEnvironment());
  const oauth = key === undefined ? undefined : { privateKey: readPrivateKey(key), nonce: systemIds.next(), now: systemClock.now() };
  const signed = signRequest({ operation, fields: fieldsOf(pairs), endpoint, group, oauth }, configuration);
  writeResult(output, { ...signed, fields: Object.fromEntries(signed.fields), ...(curl && { curl: curlLine(signed) }) }, () =>
    curl === true ? curlLine(signed) : (signed.authorization ?? signed.control ?? ''),
  );
};

export const fieldsOf = (pairs: readonly string[]): ReadonlyMap<string, string> => {
  const fields = new Map<string, string>();
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const name = pair.slice(0, Math.max(equals, 0));
    if (name === '') throw new CommandFailed('fields are given as key=value', EXIT.usage);
    if (fields.has(name)) throw new CommandFailed(`${name} is given twice`, EXIT.usage);
    fields.set(name, pair.slice(equals + 1));
  }
  return fields;
};

export const addSignCommand = (program: Command, { output }: CommandContext): void => {
  program
    .command('sign')
    .description(
      'compute the checksum of a request with the control key in the configuration, or with --key the Authorization header of a v4 request',
    )
    .argument('<operation>', SIGNED_OPERATIONS.join(', '))
    .argument('[fields...]', 'the fields of the request, each as key=value')
    .option('--endpoint <id>', 'the entry point')
    .option('--group <id>', 'the group of entry points')
    .option('--key <file>', 'the merchant’s private key in PEM: signs version 4 of create-card-ref and status by OAuth')
    .option('--curl', 'print the whole request as a curl command')
    .action((operation: string, fields: readonly string[], options: SignOptions) => sign(operation, fields, options, output()));
};
