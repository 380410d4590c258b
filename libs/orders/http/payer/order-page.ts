import { type Deadline, type Sealed, parseUrl } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import type { Merchant, Accounts } from '@app/configuration';
import type { PayerPage as GatePage } from '@app/gateway-adapters/contract';
import { autoSubmittingPage, FOREIGN_PAGE_POLICY, FORM_PAGE_POLICY, messagePage, payerReturnPairs } from '@app/gateway-protocol';
import type { OrderStatusView } from '@app/read-models';
import { openMembers } from '@app/read-models/queries';
import { SEALED_FIELDS, type OrderDetails } from '../../domain/accepted-order';
import { orderTexts } from '../../application/order-texts';

const TITLE = 'Card authentication';
const MESSAGE = 'You are being taken to your bank, which asks you to confirm the payment.';

/** A plain address becomes a form without fields, so that both share one page. */
const formOf = (page: Exclude<GatePage, { readonly html: string }>) => {
  if ('action' in page) return { action: page.action, fields: Object.entries(page.fields) };
  const { origin, pathname, searchParams } = new URL(page.address);
  return { action: origin + pathname, method: 'get' as const, fields: [...searchParams] };
};

export const authenticationPage = async (
  sealer: OrderSealer,
  {
    merchant: { login, name },
    sealed,
    deadline,
  }: { readonly merchant: Pick<Merchant, 'login' | 'name'>; readonly sealed: Sealed; readonly deadline?: Deadline | undefined },
): Promise<PayerPage | undefined> => {
  const text = await sealer.unseal(login, SEALED_FIELDS.payerPage, sealed, deadline);
  if (text === undefined) return undefined;
  const page = JSON.parse(text) as GatePage;
  if ('html' in page) return { html: page.html, policy: FOREIGN_PAGE_POLICY };
  return { html: autoSubmittingPage({ title: TITLE, merchant: name, message: MESSAGE, ...formOf(page) }), policy: FORM_PAGE_POLICY };
};

const RELOAD_SECONDS = 2;

export interface PayerPage {
  readonly html: string;
  readonly reloadSeconds?: number;
  /** Content-Security-Policy of a page that submits a form or is not ours. */
  readonly policy?: string;
}

interface OrderPagePorts {
  readonly sealer: OrderSealer;
  readonly accounts: Accounts;
}

/** An order that ended in error goes to the general address, because it was neither approved nor declined (interface, section 2.4). */
const ADDRESS_BY_STATUS: ReadonlyMap<OrderStatusView['status'], keyof OrderDetails> = new Map([
  ['approved', 'redirectSuccessUrl'],
  ['declined', 'redirectFailUrl'],
  ['filtered', 'redirectFailUrl'],
] as const);
const ADDRESSES = ['redirectUrl', 'redirectSuccessUrl', 'redirectFailUrl'] as const satisfies readonly (keyof OrderDetails)[];

export const isFinal = ({ finalAt }: OrderStatusView): boolean => finalAt !== null;

export const merchantNameOf = (accounts: Accounts, { merchant }: OrderStatusView): string => accounts.merchant(merchant)?.name ?? merchant;

export const orderPage = async ({ sealer, accounts }: OrderPagePorts, view: OrderStatusView, deadline: Deadline): Promise<PayerPage> => {
  const name = merchantNameOf(accounts, view);
  if (!isFinal(view)) return progressPage(name);
  const details = await orderTexts(sealer, { merchant: view.merchant, field: SEALED_FIELDS.details, sealed: view.details, deadline });
  const addressOfStatus = ADDRESS_BY_STATUS.get(view.status);
  const action = (addressOfStatus && details.get(addressOfStatus)) ?? details.get('redirectUrl');
  const merchant = accounts.merchant(view.merchant);
  const isApproved = view.status === 'approved';
  const title = isApproved ? 'Payment approved' : 'Payment not approved';
  const result = isApproved ? 'The payment was approved.' : 'The payment was not approved.';
  if (action === undefined || merchant === undefined)
    return { html: pageWithoutAddress({ title, result, merchant: name, shop: shopOf(merchant, details) }) };
  const message = `${result} You are being taken back to ${name}.`;
  const fields = payerReturnPairs(openMembers(view), merchant.controlKey);
  return { html: autoSubmittingPage({ title, merchant: name, message, action, fields }), policy: FORM_PAGE_POLICY };
};

const progressPage = (merchant: string): PayerPage => {
  const message = 'The payment is being processed. This page reloads until the payment is finished.';
  const link = { href: '', text: 'Reload' };
  return { html: messagePage({ title: 'Payment in progress', merchant, message, link }), reloadSeconds: RELOAD_SECONDS };
};

const pageWithoutAddress = ({
  title,
  result,
  merchant,
  shop,
}: {
  readonly title: string;
  readonly result: string;
  readonly merchant: string;
  readonly shop: string | undefined;
}): string => {
  if (shop !== undefined) return messagePage({ title, merchant, message: result, link: { href: shop, text: `Back to ${merchant}` } });
  return messagePage({ title, merchant, message: `${result} You can close this page and go back to ${merchant}.` });
};

const shopOf = (merchant: Merchant | undefined, details: ReadonlyMap<string, string>): string | undefined => {
  if (merchant?.siteUrl !== undefined) return merchant.siteUrl;
  const address = ADDRESSES.map((name) => details.get(name)).find((text) => text !== undefined);
  return address === undefined ? undefined : parseUrl(address)?.origin;
};
