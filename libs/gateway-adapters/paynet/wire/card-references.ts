import type { KeyObject } from 'node:crypto';
import {
  cardInfoControl,
  formatRequestAmount,
  orderControl,
  rebillControl,
  signedAuthorization,
  type RebillControl,
} from '@app/gateway-protocol';
import type { Instant, Money } from '@app/kernel';
import { type UpstreamOrder, pathOf, type UpstreamAccount, formRequest, type FormPairs, type UpstreamRequest } from './operations';

export const createCardRef = (account: UpstreamAccount, order: UpstreamOrder): UpstreamRequest => {
  const { login, controlKey } = account;
  return formRequest(pathOf(account, 'create-card-ref'), [
    ['login', login],
    ['client_orderid', order.clientOrderId],
    ['orderid', order.orderId],
    ['control', orderControl({ login, ...order }, controlKey)],
  ]);
};

export interface UpstreamSigner {
  readonly privateKey: KeyObject;
  /** As configured at the upstream gateway: the signature covers it. */
  readonly baseUrl: string;
  /** Must never be reused. */
  readonly nonce: string;
  readonly now: Instant;
}

/** Create-card-ref v4: a signature in the header replaces login and control in the body (interface, section 5.2). */
export const createCardRefV4 = (
  account: UpstreamAccount,
  { clientOrderId, orderId }: UpstreamOrder,
  { privateKey, baseUrl, nonce, now }: UpstreamSigner,
): UpstreamRequest => {
  const path = pathOf(account, 'create-card-ref', 'v4');
  const pairs = [
    ['client_orderid', clientOrderId],
    ['orderid', orderId],
  ] as const;
  const target = { method: 'POST', url: `${baseUrl}${path}`, parameters: pairs };
  const authorization = signedAuthorization(target, { consumerKey: account.login, privateKey, nonce, now });
  return formRequest(path, pairs, { authorization });
};

export const getCardInfo = (account: UpstreamAccount, cardRefId: string): UpstreamRequest => {
  const { login, controlKey } = account;
  return formRequest(pathOf(account, 'get-card-info'), [
    ['login', login],
    ['cardrefid', cardRefId],
    ['control', cardInfoControl({ login, cardRefId }, controlKey)],
  ]);
};

/** Named members are covered by the checksum; `others` follow the order of the interface's table. */
export interface RebillFields {
  readonly clientOrderId: string;
  readonly cardRefId: string;
  readonly amount: Money;
  readonly description: string;
  readonly others: FormPairs;
}

/** Recurrent payment and recurrent pre-authorisation (interface, sections 2.4 and 5.1; protocol decisions, section 5). */
export const makeRebill = (
  account: UpstreamAccount,
  operation: 'sale' | 'preauth',
  { clientOrderId, cardRefId, amount, description, others }: RebillFields,
  form: Exclude<RebillControl, 'either'>,
): UpstreamRequest => {
  const { login, controlKey, entryPoint } = account;
  const { minor: amountMinor, currency } = amount;
  const signed = { entryPoint: entryPoint.id, login, clientOrderId, cardRefId, amountMinor, currency };
  return formRequest(pathOf(account, `make-rebill-${operation}`), [
    ['client_orderid', clientOrderId],
    ['login', login],
    ['cardrefid', cardRefId],
    ['order_desc', description],
    ['amount', formatRequestAmount(amountMinor)],
    ['currency', currency],
    ...others,
    ['control', rebillControl(signed, controlKey, form)],
  ]);
};
