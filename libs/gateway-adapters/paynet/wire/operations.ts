import {
  type ControlKey,
  encodeForm,
  FORM_REQUEST_TYPE,
  accountVerificationControl,
  amountFollowUpControl,
  formatRequestAmount,
  IDEMPOTENCY_KEY_HEADER,
  initialPaymentControl,
  orderControl,
  type OrderNamed,
} from '@app/gateway-protocol';
import type { Money } from '@app/kernel';

export interface UpstreamAccount {
  readonly login: string;
  readonly controlKey: ControlKey;
  /** An end point id for one currency, or an end point group id for several (interface, section 2.1). */
  readonly entryPoint: { readonly kind: 'endpoint' | 'group'; readonly id: string };
}

export const pathOf = ({ entryPoint: { kind, id } }: UpstreamAccount, operation: string, version: 'v2' | 'v4' = 'v2'): string =>
  `/api/${version}/${operation}/${kind === 'group' ? 'group/' : ''}${encodeURIComponent(id)}`;

export type FormPairs = readonly (readonly [name: string, value: string | undefined])[];

export interface UpstreamRequest {
  readonly method: 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const formRequest = (path: string, pairs: FormPairs, headers: Readonly<Record<string, string>> = {}): UpstreamRequest => ({
  method: 'POST',
  path,
  headers: { 'content-type': FORM_REQUEST_TYPE, ...headers },
  body: encodeForm(pairs),
});

/** Named members are covered by the checksum; `others` follow the order of the interface's table. */
export interface InitialFields {
  readonly clientOrderId: string;
  readonly email: string | undefined;
  readonly others: FormPairs;
}

export const initialPayment = (
  account: UpstreamAccount,
  operation: 'sale' | 'preauth',
  { clientOrderId, email, others }: InitialFields,
  amount: Money,
): UpstreamRequest => {
  const signed = { entryPoint: account.entryPoint.id, clientOrderId, amountMinor: amount.minor, email: email ?? '' };
  return formRequest(pathOf(account, operation), [
    ['client_orderid', clientOrderId],
    ['amount', formatRequestAmount(amount.minor)],
    ['currency', amount.currency],
    ['email', email],
    ...others,
    ['control', initialPaymentControl(signed, account.controlKey)],
  ]);
};

export const accountVerification = (account: UpstreamAccount, { clientOrderId, email, others }: InitialFields): UpstreamRequest => {
  const signed = { entryPoint: account.entryPoint.id, clientOrderId, email: email ?? '' };
  return formRequest(pathOf(account, 'account-verification'), [
    ['client_orderid', clientOrderId],
    ['email', email],
    ...others,
    ['control', accountVerificationControl(signed, account.controlKey)],
  ]);
};

export type UpstreamOrder = Omit<OrderNamed, 'login'>;

const named = ({ login }: UpstreamAccount, { clientOrderId, orderId }: UpstreamOrder): FormPairs => [
  ['login', login],
  ['client_orderid', clientOrderId],
  ['orderid', orderId],
];

/**
 * Order status; with an empty `orderId` only `client_orderid` identifies the order (interface, section 2.5; protocol decisions, section 5).
 */
export const orderStatus = (account: UpstreamAccount, order: UpstreamOrder, serial?: string): UpstreamRequest => {
  const control = orderControl({ login: account.login, ...order }, account.controlKey);
  return formRequest(pathOf(account, 'status'), [...named(account, order), ['by-request-sn', serial], ['control', control]]);
};

/** Capture and return; the Idempotency-Key is sent only if the upstream gateway honours it (protocol decisions, section 10). */
export const amountFollowUp = (
  account: UpstreamAccount,
  operation: 'capture' | 'return',
  order: UpstreamOrder,
  amount: Money,
  idempotencyKey: string | undefined,
): UpstreamRequest => {
  const control = amountFollowUpControl(
    { login: account.login, ...order },
    { amountMinor: amount.minor, currency: amount.currency },
    account.controlKey,
  );
  const pairs: FormPairs = [
    ...named(account, order),
    ['amount', formatRequestAmount(amount.minor)],
    ['currency', amount.currency],
    ['control', control],
  ];
  return formRequest(pathOf(account, operation), pairs, keyed(idempotencyKey));
};

export const voidOrder = (account: UpstreamAccount, order: UpstreamOrder, idempotencyKey: string | undefined): UpstreamRequest => {
  const control = orderControl({ login: account.login, ...order }, account.controlKey);
  return formRequest(pathOf(account, 'void'), [...named(account, order), ['control', control]], keyed(idempotencyKey));
};

const keyed = (key: string | undefined): Readonly<Record<string, string>> =>
  key === undefined ? {} : { [IDEMPOTENCY_KEY_HEADER]: `"${key}"` };
