import {
  unreachable,
  type ClientOrderId,
  type Deadline,
  type MerchantLogin,
  type OrderId,
  type OrderIds,
  type OrderKind,
} from '@app/kernel';
import { readChained, storeWithin, type EventStore, type StoredEvent, type StreamCopies, type StreamName } from '@app/event-store';
import type { OrderFacts } from '@app/orders';
import { gateApproval, type GateApproval, type OrderFact } from '@app/orders/domain';
import { deviceVerificationCodec } from '@app/device-verification';
import { erasedCards, erasureOf } from '@app/investigation/erasure';
import { paymentCodec } from '@app/payment';
import { recurringCodec } from '@app/recurring';
import { transferCodec } from '@app/transfer';
import { foldOrderStatus, type OrderEvent } from '../order-status/order-status.fold';
import { logEventOf } from '../engine/log-event';
import type { OrderStatusView } from '../order-status/order-status.view';
import { namedStream, streamOfOrder, streamsOfEachKind } from './order-stream';

export interface OrderReadOptions {
  /** Whether this is the last event to read. */
  readonly upTo?: (stored: StoredEvent) => boolean;
  readonly deadline?: Deadline | undefined;
}

const CODECS: ReadonlyMap<string, { decode(stored: StoredEvent): OrderEvent }> = new Map<
  string,
  { decode(stored: StoredEvent): OrderEvent }
>([
  [paymentCodec.category, paymentCodec],
  [recurringCodec.category, recurringCodec],
  [deviceVerificationCodec.category, deviceVerificationCodec],
  [transferCodec.category, transferCodec],
]);

const decode = (stored: StoredEvent): OrderEvent => {
  const codec = CODECS.get(stored.stream.slice(0, stored.stream.indexOf('-')));
  if (codec === undefined) throw new Error(`${stored.stream}: not an order`);
  return codec.decode(stored);
};

/**
 * Reads an order from its stream, because an answer may not come from a read model that lags (architecture, rule 10).
 * @throws BrokenChain for a stream whose chain is broken; StoreUnavailable after the request's deadline, with no read still running
 */
export class CurrentOrderReader implements OrderFacts {
  constructor(
    private readonly store: EventStore,
    private readonly orderIds: Pick<OrderIds, 'kindOf'>,
    private readonly copies: Pick<StreamCopies, 'get' | 'read'>,
  ) {}

  /** Undefined both for an unknown order and for another merchant's. */
  async find(
    merchant: MerchantLogin,
    clientOrderId: ClientOrderId,
    orderId: OrderId,
    deadline?: Deadline,
  ): Promise<OrderStatusView | undefined> {
    const view = await this.findOfKind(this.orderIds.kindOf(orderId), merchant, clientOrderId, deadline);
    return view?.orderId === orderId ? view : undefined;
  }

  findOfKind(
    kind: OrderKind,
    merchant: MerchantLogin,
    clientOrderId: ClientOrderId,
    deadline?: Deadline,
  ): Promise<OrderStatusView | undefined> {
    return this.ofStream(namedStream(kind, merchant, clientOrderId), { deadline });
  }

  async findAll(merchant: MerchantLogin, clientOrderId: ClientOrderId, deadline?: Deadline): Promise<readonly OrderStatusView[]> {
    const views = await Promise.all(streamsOfEachKind(merchant, clientOrderId).map((stream) => this.ofStream(stream, { deadline })));
    return views.filter((view) => view !== undefined);
  }

  async ofStream(stream: StreamName, { upTo, deadline }: OrderReadOptions = {}): Promise<OrderStatusView | undefined> {
    let view: OrderStatusView | undefined;
    // Events never change, so a copy that contains the last one is complete.
    const isCopied = upTo !== undefined && this.copies.get(stream)?.some(upTo) === true;
    for await (const stored of readChained(isCopied ? this.copies : storeWithin(this.store, deadline), stream)) {
      view = foldOrderStatus(view, logEventOf(stored, decode(stored)));
      if (upTo?.(stored) === true) break;
    }
    return view;
  }

  async orderOf(
    merchant: MerchantLogin,
    clientOrderId: ClientOrderId,
    orderId: OrderId,
    deadline?: Deadline,
  ): Promise<OrderFact | undefined> {
    const view = await this.find(merchant, clientOrderId, orderId, deadline);
    if (view === undefined) return undefined;
    const { kind, endpointId, card, customer, mapped } = view;
    const approval = approvalIn(view);
    const known = { ...(card && { card }), ...(mapped && { mapped }), ...(approval && { approval }) };
    const isCardErased =
      card !== null && erasedCards(await erasureOf(storeWithin(this.store, deadline), streamOfOrder(view))).has(card.handle);
    const erased = isCardErased ? { isCardErased: true as const } : {};
    return { orderKind: kind, orderId, clientOrderId, endpointId, ...known, ...erased, customer, end: endOf(view) };
  }
}

/** Only a gate's approval has a code; an operator's approval proves nothing about the card. */
const approvalIn = ({ status, gate, attemptKey, receipt, approvalCode }: OrderStatusView): GateApproval | undefined =>
  status === 'approved' && gate !== null && attemptKey !== null && receipt !== null && approvalCode !== null
    ? gateApproval(gate.alias, attemptKey, receipt)
    : undefined;

const endOf = ({ status, code }: OrderStatusView): OrderFact['end'] => {
  switch (status) {
    case 'approved':
      return { kind: 'approved' };
    case 'declined':
    case 'filtered':
    case 'error':
      if (code === null) throw new Error(`an order is ${status} without a code`);
      return { kind: 'refused', status, code };
    case 'processing':
    case 'unknown':
    case 'chain_declined':
      return { kind: 'open' };
    default:
      return unreachable(status);
  }
};
