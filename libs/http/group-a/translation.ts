import type { Instant, ClientOrderId, OrderId, OrderKind } from '@app/kernel';
import type { CallerTrace, RequestDeadline } from '@app/event-store';
import type { ControlKey } from '@app/gateway-protocol';
import type { EntryPoint, Merchant, OperationName } from '@app/configuration';
import type { CurrentOrderReader } from '@app/read-models/queries';
import type { OrderStatusView } from '@app/read-models';
import type { Accepted, Answer } from './answer';

/** The authenticated merchant and the signed amount. */
export interface Sender {
  readonly entryPoint: EntryPoint;
  readonly merchant: Merchant;
  readonly amountMinor: bigint;
  /** Absent for v4 requests. */
  readonly signedWith?: ControlKey;
}

/** A request that passed all common checks (protocol decisions, D4.3). */
export interface AdmittedRequest<Message> extends Sender {
  readonly operation: OperationName;
  readonly message: Message;
  /** The serial-number of the request, or of the first request with its Idempotency-Key. */
  readonly serial: string;
  readonly callerTrace?: CallerTrace | undefined;
  readonly receivedAt: Instant;
  /** Absent if the request has none, or its operation changes nothing (protocol decisions, D10.7). */
  readonly idempotencyKey?: string | undefined;
  readonly deadline: RequestDeadline;
}

/** Reads streams to their end, because a read model may lag behind the repeated request (architecture, rule 10). */
export type ExistingOrders = Pick<CurrentOrderReader, 'find' | 'findOfKind'>;

type RequestForOrder = AdmittedRequest<{ readonly client_orderid: string }>;

const existingAnswerOf = (view: OrderStatusView, serial: string): ExistingAnswer => {
  const { clientOrderId, orderId, endpointId } = view;
  const isOfThisRequest = view.requests.some((request) => request.serial === serial);
  return { accepted: { kind: 'accepted', clientOrderId, orderId, endpointId }, isOfThisRequest };
};

export const findExistingOrder = async (
  orders: ExistingOrders,
  kind: OrderKind,
  { merchant, message, serial, deadline }: RequestForOrder,
): Promise<ExistingAnswer | undefined> => {
  const view = await orders.findOfKind(kind, merchant.login, message.client_orderid as ClientOrderId, deadline);
  return view === undefined ? undefined : existingAnswerOf(view, serial);
};

/** Finds the follow-up of this request only. An equal one of another request is a different follow-up. */
export const findExistingFollowUp = async (
  orders: ExistingOrders,
  orderId: OrderId,
  { merchant, message, serial, deadline }: RequestForOrder,
): Promise<ExistingAnswer | undefined> => {
  const view = await orders.find(merchant.login, message.client_orderid as ClientOrderId, orderId, deadline);
  const existing = view === undefined ? undefined : existingAnswerOf(view, serial);
  return existing?.isOfThisRequest === true ? existing : undefined;
};

/** Translates a request into a command, and the decision into a response. */
export interface Translation<Message> {
  perform(request: AdmittedRequest<Message>): Promise<Answer>;
}

export interface ExistingAnswer {
  readonly accepted: Accepted;
  /** False if an earlier request made the order. */
  readonly isOfThisRequest: boolean;
}

/** For operations that change something and so accept an Idempotency-Key (protocol decisions, D10.7). */
export interface KeyedTranslation<Message> extends Translation<Message> {
  /** Finds what this serial, or an earlier request for the same order, left in the log. */
  findExisting(request: AdmittedRequest<Message>): Promise<ExistingAnswer | undefined>;
}
