import type { ClientOrderId, Deadline, MerchantLogin, OrderId, OrderKind } from '@app/kernel';
import type { OrderStatusView } from '@app/projections';
import type { AdmittedRequest, ExistingAnswer } from './operation';

/** Orders as their streams have them at this moment (architecture, rule 10). */
export interface ExistingOrders {
  find(merchant: MerchantLogin, clientOrderId: ClientOrderId, orderId: OrderId, deadline?: Deadline): Promise<OrderStatusView | undefined>;
  findOfKind(
    kind: OrderKind,
    merchant: MerchantLogin,
    clientOrderId: ClientOrderId,
    deadline?: Deadline,
  ): Promise<OrderStatusView | undefined>;
}

type Named<Extra> = AdmittedRequest<{ readonly client_orderid: string } & Extra>;

const existingAnswerOf = (view: OrderStatusView, serial: string): ExistingAnswer => {
  const { clientOrderId, orderId, endpointId } = view;
  const isOfThisRequest = view.requests.some((request) => request.serial === serial);
  return { accepted: { kind: 'accepted', clientOrderId, orderId, endpointId }, isOfThisRequest };
};

/** The order of this kind that a request's client_orderid names, whichever request made it. */
export const existingOrder = async (
  orders: ExistingOrders,
  kind: OrderKind,
  { merchant, message, serial, deadline }: Named<unknown>,
): Promise<ExistingAnswer | undefined> => {
  const view = await orders.findOfKind(kind, merchant.login, message.client_orderid as ClientOrderId, deadline);
  return view === undefined ? undefined : existingAnswerOf(view, serial);
};

/** The follow-up that this request made: another's of the same order is another follow-up. */
export const existingFollowUp = async (
  orders: ExistingOrders,
  orderId: OrderId,
  { merchant, message, serial, deadline }: Named<unknown>,
): Promise<ExistingAnswer | undefined> => {
  const view = await orders.find(merchant.login, message.client_orderid as ClientOrderId, orderId, deadline);
  const existing = view === undefined ? undefined : existingAnswerOf(view, serial);
  return existing?.isOfThisRequest === true ? existing : undefined;
};
