import type { Instant, ClientOrderId, OrderId, OrderKind } from '@app/kernel';
import type { CallerTrace, RequestDeadline } from '@app/event-store';
import type { EntryPoint, Merchant, OperationName } from '@app/configuration';
import type { CurrentOrderReader } from '@app/read-models/queries';
import type { OrderStatusView } from '@app/read-models';
import type { Accepted, Answer } from './answer';

/** The merchant that a request's signature proves, and the amount that the signature covers. */
export interface Sender {
  readonly entryPoint: EntryPoint;
  readonly merchant: Merchant;
  /** Zero where the request has no amount. */
  readonly amountMinor: bigint;
}

/** A request that passed every check before its operation's own rules (protocol decisions, D4.3). */
export interface AdmittedRequest<Message> extends Sender {
  readonly operation: OperationName;
  readonly message: Message;
  /** The request's own serial-number; under an Idempotency-Key, that of the first request with it. */
  readonly serial: string;
  /** Absent where the request has no traceparent. */
  readonly callerTrace?: CallerTrace | undefined;
  readonly receivedAt: Instant;
  /** Absent where the request has none, or its operation changes nothing (protocol decisions, D10.7). */
  readonly idempotencyKey?: string | undefined;
  /** When its caller is answered at the latest. */
  readonly deadline: RequestDeadline;
}

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

/** Turns a request of one operation into a command of its context, and the context's decision into an answer of the interface. */
export interface Translation<Message> {
  perform(request: AdmittedRequest<Message>): Promise<Answer>;
}

/** The answer that the log already holds for a request. */
export interface ExistingAnswer {
  readonly accepted: Accepted;
  /** False where an earlier request made the order that this one repeats. */
  readonly isOfThisRequest: boolean;
}

/** The translation of an operation that changes something, and so honours an Idempotency-Key (protocol decisions, D10.7). */
export interface KeyedTranslation<Message> extends Translation<Message> {
  /** Finds what a request with this serial, or an earlier one for the same order, left in the log. Undefined where there is nothing yet. */
  findExisting(request: AdmittedRequest<Message>): Promise<ExistingAnswer | undefined>;
}
