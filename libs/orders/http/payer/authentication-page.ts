import type { Deadline, Sealed } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import type { Merchant } from '@app/configuration';
import type { PayerPage as GatePage } from '@app/gateway-adapters/contract';
import { autoSubmittingPage, FOREIGN_PAGE_POLICY, FORM_PAGE_POLICY } from '@app/gateway-protocol';
import { SEALED_FIELDS } from '../../domain/accepted-order';
import type { PayerPage } from './order-page';

const TITLE = 'Card authentication';
const MESSAGE = 'You are being taken to your bank, which asks you to confirm the payment.';

/** An address that is opened is a form without fields of its own, so that both take the same page. */
const formOf = (page: Exclude<GatePage, { readonly html: string }>) => {
  if ('action' in page) return { action: page.action, fields: Object.entries(page.fields) };
  const { origin, pathname, searchParams } = new URL(page.address);
  return { action: origin + pathname, method: 'get' as const, fields: [...searchParams] };
};

/** The page that takes the payer's browser to the authentication; undefined once the order's texts were erased. */
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
