import type { ClientOrderId, OrderId, OrderKind } from '@app/kernel';
import type { CurrentOrderReader } from '@app/read-models/queries';
import type { OrderStatusView } from '@app/read-models';
import type { AdmittedRequest } from './admitted-request';
import type { ExistingAnswer } from './translation';

/** Reads orders to the end of their streams, because a read model alone may lag behind the request that is repeated (architecture, rule 10). */
export type ExistingOrders = Pick<CurrentOrderReader, 'find' | 'findOfKind'>;

type RequestForOrder = AdmittedRequest<{ readonly client_orderid: string }>;

const existingAnswerOf = (view: OrderStatusView, serial: string): ExistingAnswer => {
  const { clientOrderId, orderId, endpointId } = view;
  const isOfThisRequest = view.requests.some((request) => request.serial === serial);
  return { accepted: { kind: 'accepted', clientOrderId, orderId, endpointId }, isOfThisRequest };
};

/** Finds the order of this kind that a request's client_orderid names, whichever request made it. */
export const findExistingOrder = async (
  orders: ExistingOrders,
  kind: OrderKind,
  { merchant, message, serial, deadline }: RequestForOrder,
): Promise<ExistingAnswer | undefined> => {
  const view = await orders.findOfKind(kind, merchant.login, message.client_orderid as ClientOrderId, deadline);
  return view === undefined ? undefined : existingAnswerOf(view, serial);
};

/** Finds the follow-up that this very request made; an equal one by another request is a follow-up of its own. */
export const findExistingFollowUp = async (
  orders: ExistingOrders,
  orderId: OrderId,
  { merchant, message, serial, deadline }: RequestForOrder,
): Promise<ExistingAnswer | undefined> => {
  const view = await orders.find(merchant.login, message.client_orderid as ClientOrderId, orderId, deadline);
  const existing = view === undefined ? undefined : existingAnswerOf(view, serial);
  return existing?.isOfThisRequest === true ? existing : undefined;
};
